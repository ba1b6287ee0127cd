/*
 * The headers that an http: sink sends with each request: what a body is, and what the user has in
 * files. Nothing of those files is ever shown.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H

#include "collector/base/error.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "sinks/destinations/curl_library.h"

/* Bytes that a file of headers may have, at most. */
#define HTTP_HEADERS_SIZE 16384

/* Shapes that the requests of an encoder have, at most. */
#define HTTP_SHAPES_MOST 2

struct http_headers {
    const struct curl_library *library;
    size_t users; /* requests that are sent with them; counted by whoever sends */
    struct curl_slist *lists[HTTP_SHAPES_MOST]; /* one for each shape */
};

/*
 * Makes those for bodies of that encoder's, compressed by `compression` or by nothing (NULL). Each
 * line of options->header_file is a header, "NAME: VALUE"; empty lines are none. The first line of
 * token_file is a bearer token (RFC 6750), that of password_file USER:PASSWORD (RFC 7617). Returns
 * 0 with *out the caller's, or -1 with `error` filled (EXIT_CODE_CONFIG: a file cannot be read, is
 * too long, or has a line that is no header; EXIT_CODE_INTERNAL). No error says what stands in a
 * file, but for a line's number.
 */
int http_headers_make(const struct curl_library *library, const struct encoder_ops *encoder,
                      const struct compression_ops *compression, const struct http_options *options,
                      struct http_headers **out, struct error *error);

/* Whether one of them says who we are: Authorization, a token, a key or a cookie. */
bool http_headers_have_secret(const struct http_headers *headers);

/* NULL is allowed. */
void http_headers_free(struct http_headers *headers);

#endif
