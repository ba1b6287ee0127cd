/*
 * One request of an http: sink at a time, and the connection that it is sent on: a handle of
 * libcurl, which is used again for the next one.
 *
 * Made and freed in the main thread; between, in the thread that drives libcurl.
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

/* Bytes that are kept of an answer's body. One that is longer than the most is not read on. */
#define HTTP_ANSWER_SIZE ((size_t)16 * 1024)
#define HTTP_ANSWER_MOST ((size_t)1024 * 1024)

/* Bytes of an answer's headers, interim answers included; one that has more is not read on. */
#define HTTP_HEAD_MOST ((size_t)256 * 1024)

/* Connections of HTTP/2 that went away, by libcurl's words: of all requests that share it. */
struct http_goaways {
    uint64_t count;
    unsigned long last; /* the last stream of the latest that its server has processed */
};

struct http_request {
    const struct curl_library *library;
    CURL *easy;
    const struct http_body *body;
    size_t at; /* bytes of the body that libcurl has read */
    char why[CURL_ERROR_SIZE];
    char text[256];               /* of the reply */
    bool proof;                   /* as in the reply */
    bool head_ended;              /* all headers after the latest status line came */
    size_t head_seen;             /* bytes of headers */
    bool refused;                 /* by libcurl's words the server refused its stream */
    unsigned long stream;         /* of HTTP/2, by libcurl's words; 0: not known */
    struct http_goaways *goaways; /* NULL: not noted */
    uint64_t goaways_before;      /* when it began */
    size_t answer_size;
    size_t answer_seen; /* with what was not kept */
    char answer[HTTP_ANSWER_SIZE];
};

/* What all requests of a sink have in common; all of it outlives them. */
struct http_request_options {
    struct client_tls tls;        /* without a CA: the system's */
    int64_t timeout_ms;           /* for one answer */
    struct http_goaways *goaways; /* NULL: there is one request only */
};

/* Returns false, with nothing to be freed, where memory is short. */
bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options);
void http_request_free(struct http_request *request);

/*
 * Has it send the body, once it is added to libcurl's multi handle. Headers and body stay as they
 * are until it has ended. Returns false where memory is short.
 */
bool http_request_begin(struct http_request *request, const char *url, struct curl_slist *headers,
                        const struct http_body *body);

/*
 * libcurl has reported its end, as `result`: fills *reply, whose text is the request's. An answer
 * counts when all its headers came, and one of success when all of its body came, too, or as much
 * as is read (HTTP_ANSWER_MOST).
 */
void http_request_end(struct http_request *request, CURLcode result, struct http_reply *reply);

/*
 * It is given up before libcurl has reported its end: fills *reply. There is no answer, and nothing
 * is asked of libcurl, which may still have what it knows of the handle's previous request.
 */
void http_request_give_up(struct http_request *request, struct http_reply *reply);

/* The body of its answer, as far as it was kept; whether that is all of it. */
bool http_request_answer(const struct http_request *request, struct text *answer);

#endif
