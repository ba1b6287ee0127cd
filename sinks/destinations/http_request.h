/*
 * One request of an http: sink at a time, and the connection that it is sent on: a handle of
 * libcurl, which is used again for the next one.
 *
 * Made and freed in the main thread; between, in the thread that drives libcurl. The fields of a
 * request that has ended are read by whoever it was handed to.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_REQUEST_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"
#include "sinks/destinations/curl_library.h"

/* Bytes that are kept of an answer's body, for the log. */
#define HTTP_ANSWER_SIZE ((size_t)200)

struct http_request {
    const struct curl_library *library;
    CURL *easy;
    struct delivery_block *block;
    size_t at; /* bytes of the block that libcurl has read */
    char why[CURL_ERROR_SIZE];
    char answer[HTTP_ANSWER_SIZE];
    size_t answer_size;

    /* Of one that has ended. */
    struct error error;
    int64_t retry_after_ns;
};

/* What all requests of a sink have in common; all of it outlives them. */
struct http_request_options {
    const char *url;
    struct curl_slist *headers;
    const char *ca;     /* NULL: the system's */
    int64_t timeout_ms; /* for one answer */
};

/* Returns false, with nothing to be freed, where memory is short. */
bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options);
void http_request_free(struct http_request *request);

/* Has it send the block, once it is added to libcurl's multi handle. */
void http_request_begin(struct http_request *request, struct delivery_block *block);

/* It never began: the block is certainly not there. */
void http_request_cancel(struct http_request *request);

/*
 * It has ended, or is given up: the block has its answer. `result` is libcurl's; CURLE_OK where
 * there is an answer.
 */
void http_request_end(struct http_request *request, CURLcode result);

#endif
