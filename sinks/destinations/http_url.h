/* The URL that an http: sink sends to. Pure functions; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_URL_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_URL_H

#include "collector/base/error.h"

/*
 * Makes SCHEME:PLACE?QUERY of a place as "//HOST:PORT/PATH" and a query or NULL. In the query "%26"
 * is an ampersand and so on, once. Then what may not stand in a URL is percent-encoded. Returns 0
 * with *out the caller's, to be freed; or -1 with `error` filled (EXIT_CODE_CONFIG: the place has
 * no host, or a user's name and password).
 */
int http_url_make(const char *scheme, const char *place, const char *query, char **out,
                  struct error *error);

#endif
