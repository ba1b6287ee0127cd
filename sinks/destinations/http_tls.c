#include "sinks/destinations/http_tls.h"

#include <stddef.h>
#include <string.h>

#include "collector/platform/input_file.h"
#include "collector/platform/trusted_authorities.h"

/* The first byte of a PKCS#12 file, which is a sequence in DER (RFC 7292, section 4). */
#define DER_SEQUENCE 0x30

static bool is_schannel(const struct curl_library *library)
{
    return strstr(library->version(), "Schannel") != NULL;
}

static void check_pkcs12(const struct client_tls *tls, struct error *error)
{
    unsigned char first = 0;
    size_t length;
    struct error why;
    if (tls->key != NULL)
        error_set(error, EXIT_CODE_CONFIG,
                  "client_key=%s: Schannel takes a key only in the file of client_cert=, which is "
                  "PKCS#12 there: openssl pkcs12 -export -passout pass: makes it",
                  tls->key);
    else if (input_load(tls->cert, &first, 1, &length, &why) != 0)
        error_set(error, EXIT_CODE_CONFIG, "client_cert=%s", why.text);
    else if (first != DER_SEQUENCE)
        error_set(error, EXIT_CODE_CONFIG,
                  "client_cert=%s: Schannel takes only PKCS#12: openssl pkcs12 -export -passout "
                  "pass: makes it of a certificate and its key",
                  tls->cert);
}

/* Sets *file to the file of CA certificates for libcurl, or NULL for its default. */
static int find_authorities(const struct client_tls *tls, const char **file, struct error *error)
{
    *file = tls->ca;
    return tls->ca != NULL ? 0 : trusted_authorities_find(file, error);
}

int http_tls_check(const struct curl_library *library, const struct client_tls *tls, bool https,
                   struct error *error)
{
    const char *authorities;
    if (input_load_check_key("server_ca", tls->ca, error) != 0 ||
        input_load_check_key("client_cert", tls->cert, error) != 0 ||
        input_load_check_key("client_key", tls->key, error) != 0 ||
        (https && find_authorities(tls, &authorities, error) != 0))
        return -1;
    struct error schannel = {.code = EXIT_CODE_OK};
    if (tls->cert != NULL && is_schannel(library))
        check_pkcs12(tls, &schannel);
    if (schannel.code == EXIT_CODE_OK)
        return 0;
    *error = schannel;
    return -1;
}

static bool set_text(const struct curl_library *library, CURL *easy, CURLoption option,
                     const char *text)
{
    return text == NULL || library->easy_setopt(easy, option, text) == CURLE_OK;
}

/*
 * Schannel downloads the list of revoked certificates. A private CA often has no such list or
 * cannot be reached. With CURLSSLOPT_REVOKE_BEST_EFFORT the certificate is then accepted. Other TLS
 * libraries download no list and ignore this option.
 */
bool http_tls_set(const struct curl_library *library, CURL *easy, const struct client_tls *tls)
{
    const char *type = tls->cert != NULL && is_schannel(library) ? "P12" : NULL;
    struct error none; /* ignored: http_tls_check has reported this error */
    const char *authorities;
    if (find_authorities(tls, &authorities, &none) != 0)
        authorities = NULL;
    return set_text(library, easy, CURLOPT_CAINFO, authorities) &&
           set_text(library, easy, CURLOPT_SSLCERT, tls->cert) &&
           set_text(library, easy, CURLOPT_SSLCERTTYPE, type) &&
           set_text(library, easy, CURLOPT_SSLKEY, tls->key) &&
           library->easy_setopt(easy, CURLOPT_SSL_OPTIONS, (long)CURLSSLOPT_REVOKE_BEST_EFFORT) ==
               CURLE_OK;
}
