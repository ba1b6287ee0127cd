/*
 * OpenSSL, loaded when the first listener has tls=on, so that programs without TLS need neither the
 * library nor memory for it.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_LIBRARY_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_LIBRARY_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "collector/base/error.h"

/* The functions that this program uses. */
#define TLS_LIBRARY_FUNCTIONS(FUNCTION)                                                            \
    FUNCTION(OpenSSL_version)                                                                      \
    FUNCTION(BIO_get_new_index)                                                                    \
    FUNCTION(BIO_meth_new)                                                                         \
    FUNCTION(BIO_meth_set_read)                                                                    \
    FUNCTION(BIO_meth_set_write)                                                                   \
    FUNCTION(BIO_meth_set_ctrl)                                                                    \
    FUNCTION(BIO_new)                                                                              \
    FUNCTION(BIO_set_data)                                                                         \
    FUNCTION(BIO_get_data)                                                                         \
    FUNCTION(BIO_set_init)                                                                         \
    FUNCTION(BIO_set_flags)                                                                        \
    FUNCTION(BIO_clear_flags)                                                                      \
    FUNCTION(ERR_clear_error)                                                                      \
    FUNCTION(ERR_peek_error)                                                                       \
    FUNCTION(ERR_reason_error_string)                                                              \
    FUNCTION(TLS_server_method)                                                                    \
    FUNCTION(SSL_CTX_new)                                                                          \
    FUNCTION(SSL_CTX_free)                                                                         \
    FUNCTION(SSL_CTX_ctrl)                                                                         \
    FUNCTION(SSL_CTX_set_options)                                                                  \
    FUNCTION(SSL_CTX_set_info_callback)                                                            \
    FUNCTION(SSL_CTX_set_default_passwd_cb)                                                        \
    FUNCTION(SSL_CTX_set_session_id_context)                                                       \
    FUNCTION(SSL_CTX_use_certificate_chain_file)                                                   \
    FUNCTION(SSL_CTX_use_PrivateKey_file)                                                          \
    FUNCTION(SSL_CTX_check_private_key)                                                            \
    FUNCTION(SSL_CTX_load_verify_file)                                                             \
    FUNCTION(SSL_CTX_set_client_CA_list)                                                           \
    FUNCTION(SSL_CTX_set_verify)                                                                   \
    FUNCTION(SSL_CTX_set_verify_depth)                                                             \
    FUNCTION(SSL_CTX_set_default_read_buffer_len)                                                  \
    FUNCTION(SSL_version)                                                                          \
    FUNCTION(SSL_get1_peer_certificate)                                                            \
    FUNCTION(EVP_sha256)                                                                           \
    FUNCTION(X509_free)                                                                            \
    FUNCTION(X509_get_subject_name)                                                                \
    FUNCTION(X509_NAME_digest)                                                                     \
    FUNCTION(SSL_load_client_CA_file)                                                              \
    FUNCTION(SSL_new)                                                                              \
    FUNCTION(SSL_free)                                                                             \
    FUNCTION(SSL_set_bio)                                                                          \
    FUNCTION(SSL_set_ex_data)                                                                      \
    FUNCTION(SSL_get_ex_data)                                                                      \
    FUNCTION(SSL_set_accept_state)                                                                 \
    FUNCTION(SSL_in_init)                                                                          \
    FUNCTION(SSL_read_ex)                                                                          \
    FUNCTION(SSL_write_ex)                                                                         \
    FUNCTION(SSL_has_pending)                                                                      \
    FUNCTION(SSL_shutdown)                                                                         \
    FUNCTION(SSL_get_error)                                                                        \
    FUNCTION(SSL_get_verify_result)                                                                \
    FUNCTION(SSL_CTX_get0_certificate)                                                             \
    FUNCTION(OPENSSL_sk_num)                                                                       \
    FUNCTION(OPENSSL_sk_value)                                                                     \
    FUNCTION(OPENSSL_sk_pop_free)                                                                  \
    FUNCTION(i2d_X509)                                                                             \
    FUNCTION(i2d_X509_NAME)                                                                        \
    FUNCTION(X509_NAME_free)                                                                       \
    FUNCTION(X509_verify_cert_error_string)

#define TLS_LIBRARY_MEMBER(name) __typeof__(name) *name;
struct tls_library {
    TLS_LIBRARY_FUNCTIONS(TLS_LIBRARY_MEMBER)
};
#undef TLS_LIBRARY_MEMBER

/*
 * Main thread: the library, loaded at the first call. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) if this machine does not have it.
 */
const struct tls_library *tls_library(struct error *error);

/* The reason of the last error that the library reports; `unknown` if it reports none. */
const char *tls_library_reason(const struct tls_library *library, const char *unknown);

#endif
