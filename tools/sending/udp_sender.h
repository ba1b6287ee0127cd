/*
 * What an operating system does for the senders among the tools: a UDP socket that sends to one
 * destination, in groups, and a wait for a moment. CMake picks the implementation under
 * tools/platform/; the clock itself is collector/platform/clock.h's.
 *
 * Lifecycle: open, send, close. A sender belongs to one thread. Nothing is lost silently on this
 * side: a send blocks while the socket's buffer is full, an attempt that the system refuses for the
 * moment is made again, and a datagram that is given up is the caller's to count.
 */
#ifndef SLUICE_TOOLS_SENDING_UDP_SENDER_H
#define SLUICE_TOOLS_SENDING_UDP_SENDER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct udp_sender;

/* Bytes that one UDP datagram can carry over IPv4 (RFC 791 and RFC 768: 65,535 - 20 - 8). */
#define UDP_PAYLOAD_MAX 65507

struct udp_payload {
    const uint8_t *data;
    size_t size; /* bytes; 0 is a datagram too */
};

/*
 * Opens a socket on a port of its own that sends to `to`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND: no such network, no socket, no memory).
 */
int udp_sender_open(struct udp_sender **out, const struct address *to, struct error *error);

/*
 * Sends the payloads in order and returns how many were sent. Fewer than `count`: the one after
 * them cannot be sent and `error` says why (EXIT_CODE_IO); the caller may go on after it.
 *
 * An attempt that fails because the system is short of buffers is made again for up to a second;
 * any other, which may report what became of an earlier datagram (the port is closed, the host
 * unreachable), is made again at once, a few times.
 */
size_t udp_sender_send(struct udp_sender *sender, const struct udp_payload *payloads, size_t count,
                       struct error *error);

/* Attempts that failed and were made again, so far; not those that reported a refusal. */
uint64_t udp_sender_retries(const struct udp_sender *sender);

/*
 * Datagrams that were sent and are known to be refused, so far: an ICMP error reported that nobody
 * listens at the port. Each report counts as one datagram. Hosts limit how many they send, and a
 * report can get lost, so more may have been refused. On Linux all that this host refuses are
 * reported.
 */
uint64_t udp_sender_refused(const struct udp_sender *sender);

/*
 * Waits for reports of refusals that are still on their way: until clock_monotonic_ns() says
 * `until_ns`, all datagrams were refused, or a signal was caught. To be called after the last send.
 */
void udp_sender_await_reports(struct udp_sender *sender, int64_t until_ns);

/*
 * Whether somebody may have got one of the datagrams that were sent to `to`. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_NOT_REACHED) where all of them, and at least one, were refused.
 */
int udp_sender_check_refused(const struct address *to, uint64_t sent, uint64_t refused,
                             struct error *error);

/* How long a tool waits in all for reports after the last datagram. */
#define UDP_SENDER_REPORTS_NS INT64_C(100000000)

/* Closes and frees it; NULL is allowed. */
void udp_sender_close(struct udp_sender *sender);

/*
 * Waits until clock_monotonic_ns() says `moment` or later, or a signal was caught; at most a
 * tenth of a second, so that a caller who looks for signals in between never misses one for long.
 */
void wait_until(int64_t moment_ns);

#endif
