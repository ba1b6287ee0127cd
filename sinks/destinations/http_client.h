/*
 * Sends the blocks of an http: sink as requests, and returns the blocks with their answers.
 *
 * A separate thread runs libcurl: it looks up names, connects, and makes and sends the bodies. At
 * the same time the sink's thread collects the next records. The two threads exchange blocks under
 * a lock, which is never held while waiting. All functions are for the sink's thread.
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

/* All pointers stay valid until the client is destroyed. */
struct http_client_options {
    const struct curl_library *library;
    const char *format; /* name of the encoder */
    bool two_shapes;    /* the format has two shapes of requests (http_shapes.h) */
    bool only_second;   /* always use the second shape */
    bool repeats;       /* the same records may be sent twice (delivery_repeats) */
    const struct http_urls *urls;
    struct http_body_maker *maker;
    struct http_request_options request;
    size_t in_flight;      /* maximum number of blocks in flight */
    struct wakeup *wakeup; /* signalled when a block is answered */
};

/* The result of a block, in addition to the outcomes of its records. */
struct http_result {
    struct delivery_block *block;
    struct error error;       /* why records were not acknowledged; empty if all were */
    int64_t retry_after_ns;   /* 0 if the server has not given a time */
    uint64_t points_rejected; /* data points rejected in accepted requests (OTLP 1, "Partial
                                 Success") */
    char warning[256];        /* the server's text about the rejected points, printable; or "" */
};

/*
 * Takes over `headers`, even if it fails. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int http_client_create(const struct http_client_options *options, struct http_headers *headers,
                       struct http_client **out, struct error *error);

/* NULL is allowed. Blocks without an answer are not reported any more. */
void http_client_destroy(struct http_client *client);

/* Returns the bytes that a client allocates, without those of libcurl. */
size_t http_client_memory(size_t in_flight);

/*
 * Returns the figures of the client's connections and requests (HTTP_FIGURES). They are valid until
 * http_client_destroy.
 */
#define HTTP_FIGURES                                                                               \
    (DELIVERY_HAS(FIGURE_CONNECTS) | DELIVERY_HAS(FIGURE_REQUESTS) |                               \
     DELIVERY_HAS(FIGURE_REQUESTS_IN_FLIGHT) | DELIVERY_HAS(FIGURE_REQUEST_RETRIES) |              \
     DELIVERY_HAS(FIGURE_REQUEST_ERRORS) | DELIVERY_HAS_ANSWERS | DELIVERY_HAS_TIMES)
const struct delivery_figures *http_client_figures(const struct http_client *client);

/* Sends a block. Returns false if `in_flight` blocks are already in flight. */
bool http_client_send(struct http_client *client, struct delivery_block *block);

/* Fills *result for a block that was answered. Returns false if there is none. */
bool http_client_answer(struct http_client *client, struct http_result *result);

/*
 * Returns true if the server has refused single records: then blocks need the keys of their records
 * (http_lessons.h).
 */
bool http_client_has_lessons(const struct http_client *client);

/* Takes over `headers`. All later requests use them. */
void http_client_set_headers(struct http_client *client, struct http_headers *headers);

/*
 * Ends all requests, and waits until every block has an answer. Records that the server has not
 * answered become not sent or unknown.
 */
void http_client_abandon(struct http_client *client);

#endif
