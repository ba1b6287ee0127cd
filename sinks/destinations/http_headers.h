/*
 * Makes the headers of an http: sink's requests: the type of the body, and the headers from the
 * user's files. The contents of those files are never shown.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H

#include "collector/base/error.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "sinks/destinations/curl_library.h"

/* The maximum size of a file of headers in bytes. */
#define HTTP_HEADERS_SIZE 16384

/* The maximum number of request shapes of an encoder. */
#define HTTP_SHAPES_MOST 2

struct http_headers {
    const struct curl_library *library;
    size_t users; /* number of requests in flight with these headers; set by the client */
    struct curl_slist *lists[HTTP_SHAPES_MOST]; /* one list for each shape */
};

/*
 * Makes the headers for the encoder's bodies; `compression` may be NULL. Each line of
 * options->header_file is a header, "NAME: VALUE"; empty lines are ignored. The first line of
 * token_file is a bearer token (RFC 6750). The first line of password_file is USER:PASSWORD (RFC
 * 7617).
 *
 * Returns 0 with *out owned by the caller, or -1 with `error` filled (EXIT_CODE_CONFIG: a file
 * cannot be read, is too long, or has a line that is not a header; EXIT_CODE_INTERNAL). The error
 * names at most the line's number, and shows no content.
 */
int http_headers_make(const struct curl_library *library, const struct encoder_ops *encoder,
                      const struct compression_ops *compression, const struct http_options *options,
                      struct http_headers **out, struct error *error);

/* Returns true if a header is a secret: Authorization, a token, a key or a cookie. */
bool http_headers_have_secret(const struct http_headers *headers);

/* NULL is allowed. */
void http_headers_free(struct http_headers *headers);

#endif
