/* Makes the URLs that an http: sink sends to. Pure functions; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_URL_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/*
 * Makes SCHEME:PLACE?QUERY from a place such as "//HOST:PORT/PATH" and a query, which may be NULL.
 * The query is percent-decoded once. Then all bytes that a URL does not allow are percent-encoded.
 * Returns 0 with *out, to be freed by the caller, or -1 with `error` filled (EXIT_CODE_CONFIG: the
 * place has no host, or has a user name).
 */
int http_url_make(const char *scheme, const char *place, const char *query, char **out,
                  struct error *error);

/* The URLs of a sink. A block's route selects one of them. */
#define HTTP_URLS_MOST 3
struct http_urls {
    size_t count;
    struct http_route {
        const char *route; /* a string literal */
        char *url;
    } list[HTTP_URLS_MOST];
};

/*
 * Makes the URLs of a sink: one URL for all routes, or, with `otlp`, the URLs of OTLP/HTTP (OTLP 1,
 * "OTLP/HTTP Request"). With `otlp` the place is either their common base or one of them. Returns
 * 0, or -1 with `error` filled (EXIT_CODE_CONFIG). Call http_urls_free in both cases.
 */
int http_urls_make(const char *scheme, const char *place, const char *query, bool otlp,
                   struct http_urls *out, struct error *error);
void http_urls_free(struct http_urls *urls);

/* Returns the URL of a route, or the first URL if the route is unknown. */
const char *http_urls_find(const struct http_urls *urls, const char *route);

#endif
