/*
 * TCP: listening sockets and their connections, non-blocking.
 *
 * A port provides each function. A socket is a bare handle here; the notifier watches it.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TCP_H
#define SLUICE_COLLECTOR_PLATFORM_TCP_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/platform/process.h"
#include "collector/platform/wakeup.h"

/* --- listening sockets ------------------------------------------------------------------------ */

/*
 * A TCP socket that others may connect to, without a word on what is said there. Main thread.
 */

/*
 * Binds a non-blocking one and listens; *bound is the address with the port that the system chose
 * where none was wanted. "::" takes IPv4, too, but for `ipv6_only`. Returns it, to be closed by
 * tcp_listener_close or by whom it is given to, or NO_HANDLE with `error` filled
 * (EXIT_CODE_CANNOT_BIND).
 */
wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error);
void tcp_listener_close(wait_handle listener);

/*
 * From now on the system holds about so many bytes for each connection that it accepts and that
 * takes nothing of what is sent; else some megabytes. It is a wish: where it is refused nothing
 * changes.
 */
void tcp_listener_limit_sending(wait_handle listener, size_t bytes);

/*
 * The same for a socket that listens already, which others have, too: a copy of the handle. It is
 * made non-blocking for all of them. Returns as above (EXIT_CODE_CANNOT_BIND: it is none of TCP).
 */
wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error);

/* --- connections ------------------------------------------------------------------------------ */

/*
 * A connection of TCP, non-blocking: accepted from a listening socket (collector/platform/
 * tcp_listener.h), read, written, closed. A handle and no more; one thread at a time.
 */

enum accept_result {
    ACCEPT_OK,
    ACCEPT_WOULD_BLOCK, /* nobody else wants to connect now */
    ACCEPT_NO_MEANS,    /* descriptors or memory are short, or it fails again and again: later;
                           `error` says why */
};

/*
 * Accepts the next one; its small writes are sent at once (TCP_NODELAY). `use`: which descriptors
 * that are kept back it may have.
 */
enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *connection, struct address *peer,
                                         struct error *error);

enum tcp_result {
    TCP_OK,          /* *done bytes, at least 1 */
    TCP_WOULD_BLOCK, /* nothing is there, or has room, now */
    TCP_END,         /* of a receive: the other side sends no more; of a send: it said so before,
                        and takes no more either */
    TCP_BROKEN,      /* reset, or the like. What came before it was received before */
};

/* Receives at most `size` (≥ 1) bytes. */
enum tcp_result tcp_connection_receive(wait_handle connection, void *to, size_t size, size_t *done);

/*
 * The same as a receive, but what is there stays there, to be received. TCP_END also where the
 * *done bytes are the last ones; systems that cannot tell say so when all was received.
 */
enum tcp_result tcp_connection_peek(wait_handle connection, void *to, size_t size, size_t *done);

/* Sends a first part of `size` (≥ 1) bytes. */
enum tcp_result tcp_connection_send(wait_handle connection, const void *bytes, size_t size,
                                    size_t *done);

/* Nothing more is sent: the other side sees the end, after what was sent. */
void tcp_connection_finish(wait_handle connection);

/* Closes it: where bytes came that nobody received, the other side sees it reset. */
void tcp_connection_close(wait_handle connection);

#endif
