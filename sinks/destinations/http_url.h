/* The URLs that an http: sink sends to. Pure functions; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_URL_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/*
 * Makes SCHEME:PLACE?QUERY of a place as "//HOST:PORT/PATH" and a query or NULL. In the query "%26"
 * is an ampersand and so on, once. Then what may not stand in a URL is percent-encoded. Returns 0
 * with *out the caller's, to be freed; or -1 with `error` filled (EXIT_CODE_CONFIG: the place has
 * no host, or a user's name and password).
 */
int http_url_make(const char *scheme, const char *place, const char *query, char **out,
                  struct error *error);

/* The URLs that a sink sends to, by the routes of its blocks. */
#define HTTP_URLS_MOST 3
struct http_urls {
    size_t count;
    struct http_route {
        const char *route; /* a literal */
        char *url;
    } list[HTTP_URLS_MOST];
};

/*
 * Makes the one URL of a place, for every route; or, with `otlp`, those of OTLP/HTTP (OTLP 1,
 * "OTLP/HTTP Request"): the place is their base, or is one of them. Returns as http_url_make does;
 * either way http_urls_free frees what there is.
 */
int http_urls_make(const char *scheme, const char *place, const char *query, bool otlp,
                   struct http_urls *out, struct error *error);
void http_urls_free(struct http_urls *urls);

/* The URL of a route; of an unknown one the first. */
const char *http_urls_find(const struct http_urls *urls, const char *route);

#endif
