/*
 * Sends datagrams to a few addresses, without ever waiting.
 *
 * Lifecycle: open, send as often as wanted, close. One thread at a time. Nothing is received: what
 * the network reports about datagrams that were sent (ICMP) is not seen. CMake picks the
 * implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DATAGRAM_SENDER_H
#define SLUICE_COLLECTOR_PLATFORM_DATAGRAM_SENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct datagram_sender;

/* Whether whole IP packets can be sent, with sources of their own (raw(7)); else none opens so. */
extern const bool datagram_sender_can_send_packets;

struct datagram_sender_options {
    const struct address *targets; /* copied */
    size_t target_count;           /* at least 1 */

    /*
     * What is sent are whole IP packets, no longer than datagram_sender_mtu, instead of the
     * payloads of datagrams. It takes a right (CAP_NET_RAW) when it is opened, not later.
     */
    bool packets;
};

/*
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE; EXIT_CODE_CONFIG: the right is
 * missing, or the system sends no packets).
 */
int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error);
void datagram_sender_close(struct datagram_sender *sender);

struct outgoing {
    size_t target; /* index in the options' targets */
    const void *data;
    size_t size;
};

/* Datagrams that one call takes at most. */
#define DATAGRAM_SENDER_MOST 64

enum send_result {
    SEND_OK,          /* the first *sent ones, at least one, are out */
    SEND_WOULD_BLOCK, /* the system has no room now: again in a moment */
    SEND_TOO_LARGE,   /* the first one is longer than its way takes, and was not sent */
    SEND_FAILED,      /* the first one was not sent; `error` says why. The next one may be */
};

/* Sends the first ones of `count` (1 to DATAGRAM_SENDER_MOST) datagrams, in their order. */
enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error);

/* Bytes of an IP packet that the way to this target takes now, as far as the system knows. */
size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target);

/* Whether the host of an address, of whatever port, is this machine. */
bool datagram_sender_is_local(const struct address *address);

#endif
