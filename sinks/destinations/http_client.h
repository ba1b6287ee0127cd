/*
 * The requests of an http: sink: blocks of records in, and later the same blocks with their
 * answers.
 *
 * A thread of its own drives libcurl: names are looked up, connections made, bodies made and sent
 * there, while the sink's thread collects the next records. The two hand blocks to each other under
 * a lock that is never held while anything is waited for. Create, then the functions of the sink's
 * thread, then destroy.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_CLIENT_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "collector/contract/delivery_figures.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/http_body.h"
#include "sinks/destinations/http_headers.h"
#include "sinks/destinations/http_request.h"
#include "sinks/destinations/http_url.h"

struct http_client;

/* What it works with; all of it outlives it. */
struct http_client_options {
    const struct curl_library *library;
    const char *format; /* the encoder's name */
    bool two_shapes;    /* requests of the format have two */
    bool repeats;       /* records may come twice (delivery_repeats) */
    const struct http_urls *urls;
    struct http_body_maker *maker;
    struct http_request_options request;
    size_t in_flight;      /* blocks at a time */
    struct wakeup *wakeup; /* signalled when a block has its answer */
};

/* What became of a block, beside what stands in it. */
struct http_result {
    struct delivery_block *block;
    struct error error;       /* of those not acknowledged, else no text */
    int64_t retry_after_ns;   /* 0: the server did not say */
    uint64_t points_rejected; /* of a request that was taken (OTLP 1, "Partial Success") */
    char warning[256];        /* what the server says about that, or ""; printable */
};

/*
 * `headers` becomes the client's, also where this fails. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int http_client_create(const struct http_client_options *options, struct http_headers *headers,
                       struct http_client **out, struct error *error);

/* NULL is allowed. Blocks that have no answer then are forgotten. */
void http_client_destroy(struct http_client *client);

/* Bytes that it allocates, without libcurl's own. */
size_t http_client_memory(size_t in_flight);

/* What it says of its connections and requests, while it lives: those of HTTP_FIGURES. */
#define HTTP_FIGURES                                                                               \
    (DELIVERY_HAS(FIGURE_CONNECTS) | DELIVERY_HAS(FIGURE_REQUESTS) |                               \
     DELIVERY_HAS(FIGURE_REQUESTS_IN_FLIGHT) | DELIVERY_HAS(FIGURE_REQUEST_RETRIES) |              \
     DELIVERY_HAS(FIGURE_REQUEST_ERRORS) | DELIVERY_HAS_ANSWERS | DELIVERY_HAS_TIMES)
const struct delivery_figures *http_client_figures(const struct http_client *client);

/* Returns false where as many as there may be are in flight. */
bool http_client_send(struct http_client *client, struct delivery_block *block);

/* The next block that has its answer. Returns false where none has. */
bool http_client_answer(struct http_client *client, struct http_result *result);

/* Whether the server has refused a record by itself: then blocks need the keys of their records. */
bool http_client_has_lessons(const struct http_client *client);

/* From now on requests begin with these headers, which become the client's. */
void http_client_set_headers(struct http_client *client, struct http_headers *headers);

/* Waits until each block in flight has an answer, which is not sent or unknown where none came. */
void http_client_abandon(struct http_client *client);

#endif
