/*
 * Checks the certificate files of an https: sink, and passes them to libcurl. Their formats depend
 * on libcurl's TLS library. OpenSSL and similar libraries read PEM. Schannel (Windows) reads CAs in
 * PEM, but a client certificate only as PKCS#12, with its key in the same file and without a
 * password.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_TLS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_TLS_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/contract/client_tls.h"
#include "sinks/destinations/curl_library.h"

/*
 * Checks that the files can be read and that libcurl supports them; for `https` also that there are
 * CA certificates. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG), beginning with the key.
 * Main thread.
 */
int http_tls_check(const struct curl_library *library, const struct client_tls *tls, bool https,
                   struct error *error);

/* Sets the options of a handle. Returns false if out of memory, or if libcurl lacks an option. */
bool http_tls_set(const struct curl_library *library, CURL *easy, const struct client_tls *tls);

#endif
