#include "collector/receive/dtls_settings.h"

#include <stdlib.h>

/*
 * Only ciphers that authenticate the data. The last three (kPSK) make no new key exchange for each
 * session; they are for small devices that support no other cipher. With certificates every cipher
 * makes a key exchange.
 */
#define CIPHERS                                                                                    \
    "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AESCCM:kECDHEPSK+CHACHA20:kPSK+AESGCM:kPSK+CHACHA20:"       \
    "kPSK+AESCCM"

static int set_up(struct dtls_settings *settings, const struct dtls_options *options,
                  struct error *error)
{
    const struct channel_tls_options files = {
        .cert = options->cert, .key = options->key, .client_ca = options->client_ca};
    if (tls_settings_read(&settings->tls, &files, error) != 0)
        return -1;
    const struct tls_library *library = settings->tls.library;
    SSL_CTX *context = settings->tls.context;
    library->ERR_clear_error();
    library->SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_QUERY_MTU);
    if (library->SSL_CTX_set_cipher_list(context, CIPHERS) != 1) {
        error_set(error, EXIT_CODE_CONFIG, "dtls: OpenSSL has none of the ciphers: %s",
                  tls_library_reason(library, "unknown reason"));
        return -1;
    }
    return options->keys == NULL ? 0 : dtls_keys_load(options->keys, &settings->keys, error);
}

int dtls_settings_make(const struct dtls_options *options, struct dtls_settings **settings,
                       struct error *error)
{
    const struct tls_library *library = tls_library(error);
    if (library == NULL)
        return -1;
    struct dtls_settings *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->tls.library = library;
    made->tls.datagrams = true;
    made->idle_ns = options->idle_ns;
    made->certificates = options->client_ca != NULL ? TLS_CERTIFICATES_MOST : 0;
    if (set_up(made, options, error) != 0) {
        dtls_settings_free(made);
        return -1;
    }
    *settings = made;
    return 0;
}

void dtls_settings_free(struct dtls_settings *settings)
{
    if (settings == NULL)
        return;
    tls_settings_end(&settings->tls);
    dtls_keys_free(settings->keys);
    free(settings);
}
