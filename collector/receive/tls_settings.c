#include "collector/receive/tls_settings.h"

#include "collector/platform/input_file.h"
#include "collector/receive/stream_connection.h"

/* The upper limit of certificates between a client's certificate and its root. */
#define CHAIN_MOST 8

static int tls_settings_error(const char *key, const char *file, const char *why,
                              struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s=%s: %s", key, file, why);
    return -1;
}

/* Reports the reason for which OpenSSL could not read `what` from the file. */
static int tls_library_error(const struct tls_library *library, const char *key, const char *file,
                             const char *what, struct error *error)
{
    unsigned long number = library->ERR_peek_error();
    int why = ERR_GET_REASON(number);
    bool no_start = ERR_GET_LIB(number) == ERR_LIB_PEM && why == PEM_R_NO_START_LINE;
    if (why == ERR_R_UNSUPPORTED || no_start)
        error_set(error, EXIT_CODE_CONFIG, "%s=%s: contains no %s in PEM", key, file, what);
    else if (why == ERR_R_INTERRUPTED_OR_CANCELLED)
        tls_settings_error(key, file, "the key is encrypted; a key without a passphrase is needed",
                           error);
    else
        tls_settings_error(key, file, tls_library_reason(library, "unknown reason"), error);
    return -1;
}

static int no_passphrase(char *to, int size, int writing, void *context)
{
    (void)to;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

static size_t size_of_chain(const struct tls_settings *settings)
{
    const struct tls_library *library = settings->library;
    STACK_OF(X509) *chain = NULL;
    int size = library->i2d_X509(library->SSL_CTX_get0_certificate(settings->context), NULL);
    library->SSL_CTX_ctrl(settings->context, SSL_CTRL_GET_CHAIN_CERTS, 0, (void *)&chain);
    const OPENSSL_STACK *all = (const OPENSSL_STACK *)chain;
    for (int i = 0; i < library->OPENSSL_sk_num(all); i++) /* OPENSSL_sk_num(NULL) is -1 */
        size += library->i2d_X509(library->OPENSSL_sk_value(all, i), NULL);
    return (size_t)size;
}

/*
 * Returns true if the file contains a private key. If the file of cert= does, cert= and key= are
 * probably swapped.
 */
static bool has_key(struct tls_settings *settings, const char *file)
{
    const struct tls_library *library = settings->library;
    library->ERR_clear_error();
    bool has = library->SSL_CTX_use_PrivateKey_file(settings->context, file, SSL_FILETYPE_PEM) == 1;
    library->ERR_clear_error();
    return has;
}

static int use_certificate(struct tls_settings *settings, const char *file, struct error *error)
{
    const struct tls_library *library = settings->library;
    if (input_load_probe_key("cert", file, error) != 0)
        return -1;
    library->ERR_clear_error();
    if (library->SSL_CTX_use_certificate_chain_file(settings->context, file) != 1) {
        tls_library_error(library, "cert", file, "certificate", error);
        if (has_key(settings, file))
            tls_settings_error("cert", file,
                               "contains a key and no certificate; cert= and key= "
                               "may be swapped",
                               error);
        return -1;
    }
    settings->chain = size_of_chain(settings);
    if (settings->chain > TLS_CERTIFICATES_MOST)
        return tls_settings_error("cert", file,
                                  "its certificates are larger than 16 KiB, the limit", error);
    return 0;
}

static int use_key(const struct tls_settings *settings, const struct channel_tls_options *options,
                   struct error *error)
{
    const struct tls_library *library = settings->library;
    if (input_load_probe_key("key", options->key, error) != 0)
        return -1;
    library->ERR_clear_error();
    bool read = library->SSL_CTX_use_PrivateKey_file(settings->context, options->key,
                                                     SSL_FILETYPE_PEM) == 1;
    bool of_another = ERR_GET_LIB(library->ERR_peek_error()) == ERR_LIB_X509;
    if (!read && !of_another)
        return tls_library_error(library, "key", options->key, "private key", error);
    if (read && library->SSL_CTX_check_private_key(settings->context) == 1)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "key=%s: does not match the certificate in cert=%s",
              options->key, options->cert);
    return -1;
}

static const struct tls_library *of_names; /* the library whose functions free_name calls */

static void free_name(void *name)
{
    of_names->X509_NAME_free(name);
}

/*
 * Sends the authorities' names, by which clients can choose a certificate. If there are too many,
 * they are omitted: clients do not need them.
 */
static void send_names(const struct tls_settings *settings, STACK_OF(X509_NAME) * names)
{
    const struct tls_library *library = settings->library;
    OPENSSL_STACK *all = (OPENSSL_STACK *)names;
    size_t size = 0;
    of_names = library;
    for (int i = 0; i < library->OPENSSL_sk_num(all); i++)
        size += (size_t)library->i2d_X509_NAME(library->OPENSSL_sk_value(all, i), NULL);
    if (size <= TLS_CERTIFICATES_MOST)
        library->SSL_CTX_set_client_CA_list(settings->context, names);
    else
        library->OPENSSL_sk_pop_free(all, free_name);
}

/*
 * Makes OpenSSL decode the extensions of the authorities' certificates now. Otherwise the first
 * handshakes would decode them, possibly in several threads at once, although the threads share
 * these certificates.
 */
static void decode_authorities(const struct tls_settings *settings)
{
    const struct tls_library *library = settings->library;
    X509_STORE *store = library->SSL_CTX_get_cert_store(settings->context);
    const OPENSSL_STACK *all = (const OPENSSL_STACK *)library->X509_STORE_get0_objects(store);
    for (int i = 0; i < library->OPENSSL_sk_num(all); i++) {
        X509 *certificate = library->X509_OBJECT_get0_X509(library->OPENSSL_sk_value(all, i));
        if (certificate != NULL) /* NULL for a revocation list */
            library->X509_check_purpose(certificate, -1, 0);
    }
}

static int want_clients_certificates(const struct tls_settings *settings, const char *file,
                                     struct error *error)
{
    const struct tls_library *library = settings->library;
    if (input_load_probe_key("client_ca", file, error) != 0)
        return -1;
    library->ERR_clear_error();
    STACK_OF(X509_NAME) *names = library->SSL_load_client_CA_file(file);
    if (names != NULL)
        send_names(settings, names);
    if (names == NULL || library->SSL_CTX_load_verify_file(settings->context, file) != 1)
        return tls_library_error(library, "client_ca", file, "certificate", error);
    decode_authorities(settings);
    library->SSL_CTX_set_verify(settings->context,
                                SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return 0;
}

/*
 * The server's order of ciphers is used, because with the client's order, duplicates in its list
 * would make OpenSSL's list longer.
 */
static bool tls_context_set_up(const struct tls_settings *settings)
{
    static const unsigned char name[] = "sluice"; /* identifies the program in tickets */
    const struct tls_library *library = settings->library;
    SSL_CTX *context = settings->context;
    library->SSL_CTX_ctrl(context, SSL_CTRL_MODE,
                          SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS,
                          NULL);
    library->SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    library->SSL_CTX_set_default_read_buffer_len(context, 0); /* 0 restores OpenSSL's default: a
                                                               * buffer for one record */
    library->SSL_CTX_set_verify_depth(context, CHAIN_MOST);
    library->SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, (long)TLS_CERTIFICATES_MOST, NULL);
    library->SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                              SSL_OP_CIPHER_SERVER_PREFERENCE);
    library->SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    long least = settings->datagrams ? DTLS1_2_VERSION : TLS1_2_VERSION;
    return library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, least, NULL) == 1 &&
           library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_SEND_FRAGMENT, STREAM_ANSWERS_SIZE,
                                 NULL) == 1 &&
           library->SSL_CTX_set_session_id_context(context, name, sizeof name) == 1;
}

int tls_settings_read(struct tls_settings *settings, const struct channel_tls_options *options,
                      struct error *error)
{
    const struct tls_library *library = settings->library;
    settings->certificates = options->client_ca != NULL ? TLS_CERTIFICATES_MOST * 3 / 4 : 0;
    settings->context = library->SSL_CTX_new(settings->datagrams ? library->DTLS_server_method()
                                                                 : library->TLS_server_method());
    if (settings->context == NULL || !tls_context_set_up(settings))
        return error_no_memory(error);
    if (options->cert != NULL && (use_certificate(settings, options->cert, error) != 0 ||
                                  use_key(settings, options, error) != 0))
        return -1;
    return options->client_ca == NULL
               ? 0
               : want_clients_certificates(settings, options->client_ca, error);
}

void tls_settings_end(struct tls_settings *settings)
{
    settings->library->SSL_CTX_free(settings->context); /* NULL is allowed */
}
