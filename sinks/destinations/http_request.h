/*
 * A request of an http: sink, with a handle of libcurl and its connection, which the next request
 * uses again. Created and freed in the main thread, used in the thread that runs libcurl.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_REQUEST_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/client_tls.h"
#include "collector/text/text.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/http_body.h"
#include "sinks/destinations/http_exchange.h"

/*
 * HTTP_ANSWER_SIZE: bytes of an answer's body that are kept. HTTP_ANSWER_MOST: bytes that are read.
 */
#define HTTP_ANSWER_SIZE ((size_t)16 * 1024)
#define HTTP_ANSWER_MOST ((size_t)1024 * 1024)

/* The maximum size of an answer's headers in bytes, including the headers of interim answers. */
#define HTTP_HEAD_MOST ((size_t)256 * 1024)

/*
 * GOAWAY frames on HTTP/2 connections, found in libcurl's messages. All requests of a sink share
 * this struct.
 */
struct http_goaways {
    uint64_t count;
    unsigned long last; /* the last stream that the server processed, from the latest GOAWAY */
};

struct http_request {
    const struct curl_library *library;
    CURL *easy;
    const struct http_body *body;
    size_t at; /* bytes of the body that libcurl has read */
    char why[CURL_ERROR_SIZE];
    char text[256];               /* text of the reply */
    bool proof;                   /* see struct http_reply */
    bool head_ended;              /* the headers after the latest status line are complete */
    size_t head_seen;             /* bytes of headers received */
    bool refused;                 /* libcurl has reported that the server refused the stream */
    unsigned long stream;         /* ID of the HTTP/2 stream, or 0 if unknown */
    struct http_goaways *goaways; /* NULL if GOAWAY frames are ignored */
    uint64_t goaways_before;      /* goaways->count when the request began */
    size_t answer_size;
    size_t answer_seen; /* bytes received, kept or not */
    char answer[HTTP_ANSWER_SIZE];
};

/* Options of all requests of a sink. The pointers outlive the requests. */
struct http_request_options {
    struct client_tls tls;        /* if there is no CA, the system's CAs are used */
    int64_t timeout_ms;           /* time limit of one request */
    struct http_goaways *goaways; /* NULL: GOAWAY frames are ignored */
};

/* Returns false if out of memory; then there is nothing to free. */
bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options);
void http_request_free(struct http_request *request);

/*
 * Prepares the request. It is sent when its handle is added to libcurl's multi handle. Headers and
 * body must not change until the request has ended. Returns false if out of memory.
 */
bool http_request_begin(struct http_request *request, const char *url, struct curl_slist *headers,
                        const struct http_body *body);

/*
 * To be called when libcurl reports the end of the request, with its `result`. Fills *reply, whose
 * text belongs to the request. An answer counts if all its headers were received, and a success
 * only if also all its body was received, or more than HTTP_ANSWER_MOST bytes of it.
 */
void http_request_end(struct http_request *request, CURLcode result, struct http_reply *reply);

/*
 * Ends the request before libcurl reports its end. Fills *reply as for a request without an answer.
 * Does not query the handle, which may still have values of its previous request.
 */
void http_request_give_up(struct http_request *request, struct http_reply *reply);

/* Sets *answer to the kept part of the answer's body. Returns true if that is the whole body. */
bool http_request_answer(const struct http_request *request, struct text *answer);

#endif
