/*
 * Parses the head of an HTTP request (RFC 9112): the request line, and the headers that this server
 * uses.
 *
 * Refuses heads that servers may read differently: with a folded line, a space before a colon, or a
 * control character. A connection has one request, and content after its head is ignored, so a
 * server and a proxy cannot disagree about where a request begins. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_REQUEST_H
#define SLUICE_COLLECTOR_METRICS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_OTHER };

/* Texts point into the head; a text is NULL if the request has no such header. */
struct http_request {
    enum http_method method;
    const char *path;            /* up to a "?"; not decoded */
    bool old;                    /* HTTP/1.0 */
    size_t hosts;                /* number of Host headers */
    const char *host;            /* the last Host header */
    const char *accept;          /* the first Accept header */
    const char *accept_encoding; /* the first Accept-Encoding header */
    const char *authorization;   /* the first Authorization header; a secret */
    struct address network;      /* network of the client; not from the head */
};

/*
 * Returns the size in bytes of empty lines at the beginning, which a server ignores (RFC 9112,
 * 2.2).
 */
size_t http_request_empty(const char *text, size_t size);

/*
 * Returns the size in bytes of the head at the beginning of the text, with the empty line at its
 * end, or 0 if that line is not there yet. Lines may end without a carriage return. The first
 * `known` bytes were passed in an earlier call that returned 0.
 */
size_t http_request_size(const char *text, size_t size, size_t known);

/* Returns true if the text begins like a GET or HEAD request of this path. */
bool http_request_begins(const char *text, size_t size, const char *path);

/*
 * Parses a head of `size` bytes (http_request_size), which is overwritten. Returns 0, or the status
 * of the answer: 400, or 505 for another version of HTTP.
 */
unsigned http_request_parse(char *head, size_t size, struct http_request *out);

#endif
