/*
 * Sends datagrams in groups over a UDP socket to one destination, and waits until a given time.
 * CMake selects the implementation in tools/platform/.
 *
 * Lifecycle: open, send, close. One thread per sender. No datagram is lost silently on this side: a
 * send blocks while the socket's buffer is full, an attempt that the system refuses is repeated,
 * and a datagram that cannot be sent is reported.
 */
#ifndef SLUICE_TOOLS_SENDING_UDP_SENDER_H
#define SLUICE_TOOLS_SENDING_UDP_SENDER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct udp_sender;

/* The maximum payload of a UDP datagram over IPv4 (RFC 791 and RFC 768: 65,535 - 20 - 8). */
#define UDP_PAYLOAD_MAX 65507

struct udp_payload {
    const uint8_t *data;
    size_t size; /* bytes; a datagram of 0 bytes is valid */
};

/*
 * Opens a socket on its own port that sends to `to`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND: no such network, no socket, out of memory).
 */
int udp_sender_open(struct udp_sender **out, const struct address *to, struct error *error);

/*
 * Sends the payloads in order. Returns the number sent. If it is less than `count`, the next
 * payload cannot be sent, and `error` has the reason (EXIT_CODE_IO). The caller may continue after
 * that payload.
 *
 * If the system is short of buffers, an attempt is repeated for up to a second. Any other failed
 * attempt may report the result of an earlier datagram (port closed, host unreachable), and is
 * repeated immediately, a few times.
 */
size_t udp_sender_send(struct udp_sender *sender, const struct udp_payload *payloads, size_t count,
                       struct error *error);

/*
 * Returns the number of failed attempts that were repeated. An attempt that only reported a refusal
 * does not count.
 */
uint64_t udp_sender_retries(const struct udp_sender *sender);

/*
 * Returns the number of sent datagrams that are known to be refused, because an ICMP error reported
 * a closed port. Each report counts as one datagram. Hosts limit the rate of reports, and reports
 * can be lost, so the true number may be higher. On Linux all refusals by the local host are
 * reported.
 */
uint64_t udp_sender_refused(const struct udp_sender *sender);

/*
 * Waits for late reports of refusals. Returns when clock_monotonic_ns() reaches `until_ns`, all
 * datagrams were refused, or a signal was caught. Must be called after the last send.
 */
void udp_sender_await_reports(struct udp_sender *sender, int64_t until_ns);

/*
 * Returns 0, or -1 with `error` filled (EXIT_CODE_NOT_REACHED) if datagrams were sent to `to` and
 * all of them were refused.
 */
int udp_sender_check_refused(const struct address *to, uint64_t sent, uint64_t refused,
                             struct error *error);

/*
 * The time for which a tool waits for late reports, in nanoseconds. It is for all its senders
 * together.
 */
#define UDP_SENDER_REPORTS_NS INT64_C(100000000)

/* Closes and frees the sender; NULL is allowed. */
void udp_sender_close(struct udp_sender *sender);

/*
 * Waits until clock_monotonic_ns() reaches `moment_ns`, a signal was caught, or a tenth of a second
 * is over. So a caller that checks for signals between calls is late by at most that time.
 */
void wait_until(int64_t moment_ns);

#endif
