/*
 * A request of an http: sink: a handle of libcurl with its connection, which is reused for the next
 * request.
 *
 * Created and freed in the main thread, used in the thread that drives libcurl.
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
 * Of an answer's body the first HTTP_ANSWER_SIZE bytes are kept. After HTTP_ANSWER_MOST bytes it is
 * not read further.
 */
#define HTTP_ANSWER_SIZE ((size_t)16 * 1024)
#define HTTP_ANSWER_MOST ((size_t)1024 * 1024)

/*
 * After this number of bytes an answer's headers, including interim answers, are not read further.
 */
#define HTTP_HEAD_MOST ((size_t)256 * 1024)

/* GOAWAY frames on HTTP/2 connections, as libcurl's messages report them; shared by requests. */
struct http_goaways {
    uint64_t count;
    unsigned long last; /* from the latest GOAWAY: the last stream that the server processed */
};

struct http_request {
    const struct curl_library *library;
    CURL *easy;
    const struct http_body *body;
    size_t at; /* bytes of the body that libcurl has read */
    char why[CURL_ERROR_SIZE];
    char text[256];               /* of the reply */
    bool proof;                   /* as in struct http_reply */
    bool head_ended;              /* all headers after the latest status line have come */
    size_t head_seen;             /* bytes of headers */
    bool refused;                 /* libcurl reported that the server refused the stream */
    unsigned long stream;         /* ID of the HTTP/2 stream, as libcurl reported it; 0: unknown */
    struct http_goaways *goaways; /* NULL: not noted */
    uint64_t goaways_before;      /* goaways->count when the request began */
    size_t answer_size;
    size_t answer_seen; /* bytes received, kept or not */
    char answer[HTTP_ANSWER_SIZE];
};

/* Options that all requests of a sink share; the pointers outlive the requests. */
struct http_request_options {
    struct client_tls tls;        /* the certificates; without a CA the system's are used */
    int64_t timeout_ms;           /* time limit of a whole request */
    struct http_goaways *goaways; /* NULL: there is only one request */
};

/* Returns false if memory is short; there is nothing to free then. */
bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options);
void http_request_free(struct http_request *request);

/*
 * Prepares the request, which is sent once its handle is added to libcurl's multi handle. Headers
 * and body must not change until the request has ended. Returns false if memory is short.
 */
bool http_request_begin(struct http_request *request, const char *url, struct curl_slist *headers,
                        const struct http_body *body);

/*
 * To be called when libcurl reports the end of the request, with its `result`. Fills *reply, whose
 * text belongs to the request. An answer counts if all of its headers came; a success only if all
 * of its body came as well, or more than HTTP_ANSWER_MOST bytes of it.
 */
void http_request_end(struct http_request *request, CURLcode result, struct http_reply *reply);

/*
 * Gives the request up before libcurl reports its end. Fills *reply as for a request without an
 * answer. Does not query the handle, which may still have the values of its previous request.
 */
void http_request_give_up(struct http_request *request, struct http_reply *reply);

/* Sets *answer to the kept part of the answer's body. Returns whether that is the whole body. */
bool http_request_answer(const struct http_request *request, struct text *answer);

#endif
