/*
 * The interface of the tools to the operating system for sending: a UDP socket that sends to one
 * destination in groups, and waiting for a time. CMake selects the implementation in
 * tools/platform/; the clock is collector/platform/clock.h.
 *
 * Lifecycle: open, send, close. A sender belongs to one thread. Datagrams are not lost silently on
 * this side: a send blocks while the socket's buffer is full, an attempt that the system refuses is
 * repeated, and a datagram that cannot be sent is reported.
 */
#ifndef SLUICE_TOOLS_SENDING_UDP_SENDER_H
#define SLUICE_TOOLS_SENDING_UDP_SENDER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct udp_sender;

/* Largest payload of a UDP datagram over IPv4 (RFC 791 and RFC 768: 65,535 - 20 - 8). */
#define UDP_PAYLOAD_MAX 65507

struct udp_payload {
    const uint8_t *data;
    size_t size; /* bytes; 0 is a valid datagram */
};

/*
 * Opens a socket on its own port that sends to `to`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND: no such network, no socket, out of memory).
 */
int udp_sender_open(struct udp_sender **out, const struct address *to, struct error *error);

/*
 * Sends the payloads in order and returns how many were sent. If fewer than `count`, the next one
 * cannot be sent and `error` has the reason (EXIT_CODE_IO); the caller may continue after it.
 *
 * An attempt that fails because the system is short of buffers is repeated for up to a second. Any
 * other failed attempt may report the result of an earlier datagram (port closed, host
 * unreachable), and is repeated immediately, a few times.
 */
size_t udp_sender_send(struct udp_sender *sender, const struct udp_payload *payloads, size_t count,
                       struct error *error);

/*
 * Returns the number of failed attempts that were repeated, except those that reported a refusal.
 */
uint64_t udp_sender_retries(const struct udp_sender *sender);

/*
 * Returns the number of sent datagrams that are known to be refused: an ICMP error reported a
 * closed port. Each report counts as one datagram. Hosts limit the rate of reports, and reports can
 * be lost, so more may have been refused. On Linux all refusals by the local host are reported.
 */
uint64_t udp_sender_refused(const struct udp_sender *sender);

/*
 * Waits for reports of refusals that are still in transit: until clock_monotonic_ns() reaches
 * `until_ns`, all datagrams were refused, or a signal was caught. Call it after the last send.
 */
void udp_sender_await_reports(struct udp_sender *sender, int64_t until_ns);

/*
 * Checks whether at least one of the datagrams sent to `to` may have been received. Returns 0, or
 * -1 with `error` filled (EXIT_CODE_NOT_REACHED) if at least one was sent and all were refused.
 */
int udp_sender_check_refused(const struct address *to, uint64_t sent, uint64_t refused,
                             struct error *error);

/* Total time that a tool waits for reports after the last datagram. */
#define UDP_SENDER_REPORTS_NS INT64_C(100000000)

/* Closes and frees it; NULL is allowed. */
void udp_sender_close(struct udp_sender *sender);

/*
 * Waits until clock_monotonic_ns() reaches `moment`, or a signal was caught, at most a tenth of a
 * second, so that a caller that checks for signals between calls is never late by more than that.
 */
void wait_until(int64_t moment_ns);

#endif
