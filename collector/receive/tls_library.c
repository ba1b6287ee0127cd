#include "collector/receive/tls_library.h"

/* libssl also loads libcrypto. */
SHARED_LIBRARY_DEFINE(tls, , TLS_FUNCTIONS, OpenSSL_version(OPENSSL_VERSION), "OpenSSL",
                      SLUICE_LOADED_OPENSSL, SLUICE_LOADED_OPENSSL_PACKAGE, "tls=on and dtls")

const char *tls_library_reason(const struct tls_library *library, const char *unknown)
{
    const char *text = library->ERR_reason_error_string(library->ERR_peek_error());
    return text != NULL ? text : unknown;
}
