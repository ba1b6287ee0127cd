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

/* Sockets that accept connections. Main thread. */

/*
 * Opens a non-blocking socket, binds it to `address` and listens. *bound is that address with the
 * actual port; if the port is 0, the system chooses one. "::" also accepts IPv4 unless `ipv6_only`.
 * Returns the socket, which tcp_listener_close or its next owner closes, or NO_HANDLE with `error`
 * filled (EXIT_CODE_CANNOT_BIND).
 */
wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error);
void tcp_listener_close(wait_handle listener);

/*
 * Limits the bytes that the system buffers for an accepted connection whose peer does not read, to
 * about `bytes`; the default is some megabytes. Applies to each connection of the listener. If the
 * system refuses, nothing changes.
 */
void tcp_listener_limit_sending(wait_handle listener, size_t bytes);

/*
 * Copies the handle of a socket that listens already and is shared with other processes; it becomes
 * non-blocking for all of them. It may be a local stream socket (local_listener.h): then *bound has
 * only the family ADDRESS_LOCAL. Returns as tcp_listener_open (EXIT_CODE_CANNOT_BIND: neither a TCP
 * nor a local stream socket).
 */
wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error);

/* --- connections ------------------------------------------------------------------------------ */

/* An accepted, non-blocking connection. It is only a handle; one thread at a time. */

enum accept_result {
    ACCEPT_OK,
    ACCEPT_WOULD_BLOCK, /* no more connections are waiting */
    ACCEPT_NO_MEANS,    /* descriptors or memory are short, or accepting fails again and again: try
                           later. `error` says why */
};

/*
 * Accepts the next connection of a TCP socket, with TCP_NODELAY set, or of a local one, whose *peer
 * is the process that connected (SO_PEERCRED of unix(7)). `use` selects the reserve of descriptors
 * (process.h).
 */
enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *connection, struct address *peer,
                                         struct error *error);

enum tcp_result {
    TCP_OK,          /* *done bytes were moved, at least 1 */
    TCP_WOULD_BLOCK, /* no data, or no room, at the moment */
    TCP_END, /* receive: the peer sends no more; send: the peer sent its end before, and now accepts
                no more */
    TCP_BROKEN, /* reset, or a similar error, after all earlier data was received */
};

/* Receives at most `size` (≥ 1) bytes. */
enum tcp_result tcp_connection_receive(wait_handle connection, void *to, size_t size, size_t *done);

/*
 * Receives without removing the data from the queue. Also returns TCP_END if the *done bytes are
 * the last ones; a system that cannot report that returns TCP_END only when all data was received.
 */
enum tcp_result tcp_connection_peek(wait_handle connection, void *to, size_t size, size_t *done);

/* Sends the first *done of `size` (≥ 1) bytes. */
enum tcp_result tcp_connection_send(wait_handle connection, const void *bytes, size_t size,
                                    size_t *done);

/* Ends sending: the peer sees the end after the data that was sent. */
void tcp_connection_finish(wait_handle connection);

/* Closes the connection. If there is data that was not received, the peer sees a reset. */
void tcp_connection_close(wait_handle connection);

#endif
