/*
 * The HTTP server's connections: accepts clients, reads requests, sends answers. It waits for its
 * sockets with a notifier for persistent levels (collector/platform/notifier.h), so it needs no
 * thread.
 *
 * A connection has one request and one answer. Until its request is complete it uses one of
 * HTTP_ASKING slots, for at most the time limit. If all are used, a new client replaces one client
 * of the address (for IPv6: the /64 network) that uses the most of these slots. A complete request
 * waits, within the same limits, for one of HTTP_ANSWERS slots, of which HTTP_RESERVED are only for
 * the reserved path; answers of limited paths use at most `limited_most` of them. While a request
 * waits, an answer whose client accepts no byte for HTTP_SLOW_NS is ended to make room, first one
 * of the address that has the most answers. So silent, slow and disconnected clients do not delay
 * answers to other clients. After the answer the connection waits for a short time until the peer
 * closes its side, because closing it earlier may destroy the answer (RFC 9112, 9.6).
 *
 * Lifecycle: create, then wait for the handle and serve in the main thread's loop, destroy. Main
 * thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_SERVER_H
#define SLUICE_COLLECTOR_METRICS_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/metrics/http_answer.h"
#include "collector/metrics/http_request.h"
#include "collector/platform/wakeup.h"

#define HTTP_ASKING   64
#define HTTP_ANSWERS  24
#define HTTP_RESERVED 4
#define HTTP_LEAVING  32 /* connections whose answer was sent, or that are about to be closed */

/* A request's head must have fewer bytes; otherwise the answer is 431. */
#define HTTP_HEAD_SIZE ((size_t)16 * 1024)

struct http_server_options {
    wait_handle listener;     /* owned by the server after a successful create */
    int64_t stall_timeout_ns; /* maximum nanoseconds to wait for the request, for a slot, and for
                                 the client to read */
    const char *reserved;     /* the path that may use the reserved slots; a literal */
    size_t limited_most;      /* the maximum number of unsent answers of limited paths */

    /* Returns true if the answer takes much memory until it is sent. */
    bool (*is_limited)(const struct http_request *request);

    /* Makes the answer to a request; `request` is valid during the call. */
    void (*answer)(void *context, const struct http_request *request, struct http_answer *out);
    void *context;
};

struct http_server;

/*
 * Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL); the caller then keeps the listener.
 */
int http_server_create(struct http_server **out, const struct http_server_options *options,
                       struct error *error);

/* Ends all connections and closes the listener. NULL is allowed. */
void http_server_destroy(struct http_server *server);

/* Returns the bytes of the server's memory without the answers. */
size_t http_server_memory(void);

/* Returns the handle that becomes readable when there is something to serve. */
wait_handle http_server_handle(const struct http_server *server);

/* Returns when to serve at the latest (monotonic nanoseconds). */
int64_t http_server_due(const struct http_server *server);

/* Accepts, reads and sends, without waiting. Returns true if there was something to do. */
bool http_server_serve(struct http_server *server, int64_t now_ns);

/* Requests the next part of all streams that had none before. */
void http_server_continue(struct http_server *server, int64_t now_ns);

#endif
