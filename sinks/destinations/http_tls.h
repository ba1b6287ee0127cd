/*
 * The certificates of an https: sink, as libcurl's TLS library takes them. OpenSSL and its
 * relatives take PEM. Schannel, which Windows has, takes authorities in PEM, but a client's
 * certificate only as PKCS#12, with its key in the same file and without a password.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_TLS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_TLS_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/contract/client_tls.h"
#include "sinks/destinations/curl_library.h"

/*
 * Checks that the files can be read and that this libcurl takes them; for `https` also that there
 * are certificates of authorities. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG); the
 * error begins with the key. Main thread.
 */
int http_tls_check(const struct curl_library *library, const struct client_tls *tls, bool https,
                   struct error *error);

/* Sets the options of a handle. Returns false without memory, or if libcurl lacks an option. */
bool http_tls_set(const struct curl_library *library, CURL *easy, const struct client_tls *tls);

#endif
