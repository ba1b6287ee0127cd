/* The file of headers that an http: sink sends with each request. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_HEADERS_H

#include "collector/base/error.h"
#include "sinks/destinations/curl_library.h"

/* Bytes that such a file may have, at most. */
#define HTTP_HEADERS_SIZE 16384

/*
 * Appends each line of the file, "NAME: VALUE", to *headers; empty lines are none. Returns 0, or -1
 * with `error` filled (EXIT_CODE_CONFIG: it cannot be read, is too long, or has a line that is no
 * header; EXIT_CODE_INTERNAL). No error says what stands in the file, but for a line's number.
 */
int http_headers_read(const char *path, const struct curl_library *library,
                      struct curl_slist **headers, struct error *error);

#endif
