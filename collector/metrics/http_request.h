/*
 * The head of an HTTP request (RFC 9112): its request line and the headers that this server reads.
 *
 * Strict where readings differ: a folded line, a space before a colon, or a control character is
 * refused. A connection has one request, and content after its head is ignored, so a server and a
 * proxy cannot disagree about where a request begins. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_REQUEST_H
#define SLUICE_COLLECTOR_METRICS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_OTHER };

/* Texts point into the head; NULL: there is no such header. */
struct http_request {
    enum http_method method;
    const char *path;            /* up to a "?"; not decoded */
    bool old;                    /* HTTP/1.0 */
    size_t hosts;                /* number of Host headers */
    const char *host;            /* the last one */
    const char *accept;          /* the first one */
    const char *accept_encoding; /* the first one */
    const char *authorization;   /* the first one; a secret */
    struct address network;      /* of the client; not in the head */
};

/* Returns the bytes of empty lines at the beginning, which a server ignores (RFC 9112, 2.2). */
size_t http_request_empty(const char *text, size_t size);

/*
 * Returns the bytes of the head that the `size` bytes begin with, up to and including the empty
 * line at its end, or 0 if that is not there yet. Lines may end without a carriage return. The
 * first `known` bytes were passed before, with the result 0.
 */
size_t http_request_size(const char *text, size_t size, size_t known);

/* Whether the text begins like a request of this path, by GET or HEAD. */
bool http_request_begins(const char *text, size_t size, const char *path);

/*
 * Parses a head of `size` bytes (http_request_size), which is overwritten. Returns 0, or the status
 * of the answer: 400, or 505 for another version of HTTP.
 */
unsigned http_request_parse(char *head, size_t size, struct http_request *out);

#endif
