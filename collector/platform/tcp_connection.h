/*
 * A connection of TCP, non-blocking: accepted from a listening socket (collector/platform/
 * tcp_listener.h), read, written, closed. A handle and no more; one thread at a time. CMake picks
 * the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TCP_CONNECTION_H
#define SLUICE_COLLECTOR_PLATFORM_TCP_CONNECTION_H

#include <stddef.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/platform/descriptors.h"
#include "collector/platform/wakeup.h"

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
