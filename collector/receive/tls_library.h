/* OpenSSL. It is loaded if a listener has tls=on or is dtls:. */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_LIBRARY_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_LIBRARY_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "collector/platform/shared_library.h"

#define TLS_FUNCTIONS(FUNCTION, P)                                                                 \
    FUNCTION(P, OpenSSL_version)                                                                   \
    FUNCTION(P, BIO_get_new_index)                                                                 \
    FUNCTION(P, BIO_meth_new)                                                                      \
    FUNCTION(P, BIO_meth_set_read)                                                                 \
    FUNCTION(P, BIO_meth_set_write)                                                                \
    FUNCTION(P, BIO_meth_set_ctrl)                                                                 \
    FUNCTION(P, BIO_new)                                                                           \
    FUNCTION(P, BIO_set_data)                                                                      \
    FUNCTION(P, BIO_get_data)                                                                      \
    FUNCTION(P, BIO_set_init)                                                                      \
    FUNCTION(P, BIO_set_flags)                                                                     \
    FUNCTION(P, BIO_clear_flags)                                                                   \
    FUNCTION(P, BIO_ADDR_new)                                                                      \
    FUNCTION(P, BIO_ADDR_free)                                                                     \
    FUNCTION(P, ERR_clear_error)                                                                   \
    FUNCTION(P, ERR_peek_error)                                                                    \
    FUNCTION(P, ERR_reason_error_string)                                                           \
    FUNCTION(P, TLS_server_method)                                                                 \
    FUNCTION(P, DTLS_server_method)                                                                \
    FUNCTION(P, DTLSv1_listen)                                                                     \
    FUNCTION(P, SSL_CTX_new)                                                                       \
    FUNCTION(P, SSL_CTX_free)                                                                      \
    FUNCTION(P, SSL_CTX_ctrl)                                                                      \
    FUNCTION(P, SSL_CTX_set_options)                                                               \
    FUNCTION(P, SSL_CTX_set_info_callback)                                                         \
    FUNCTION(P, SSL_CTX_set_default_passwd_cb)                                                     \
    FUNCTION(P, SSL_CTX_set_session_id_context)                                                    \
    FUNCTION(P, SSL_CTX_use_certificate_chain_file)                                                \
    FUNCTION(P, SSL_CTX_use_PrivateKey_file)                                                       \
    FUNCTION(P, SSL_CTX_check_private_key)                                                         \
    FUNCTION(P, SSL_CTX_load_verify_file)                                                          \
    FUNCTION(P, SSL_CTX_get_cert_store)                                                            \
    FUNCTION(P, SSL_CTX_set_client_CA_list)                                                        \
    FUNCTION(P, SSL_CTX_set_verify)                                                                \
    FUNCTION(P, SSL_CTX_set_verify_depth)                                                          \
    FUNCTION(P, SSL_CTX_set_default_read_buffer_len)                                               \
    FUNCTION(P, SSL_CTX_set_cipher_list)                                                           \
    FUNCTION(P, SSL_CTX_set_cookie_generate_cb)                                                    \
    FUNCTION(P, SSL_CTX_set_cookie_verify_cb)                                                      \
    FUNCTION(P, SSL_CTX_set_psk_server_callback)                                                   \
    FUNCTION(P, SSL_version)                                                                       \
    FUNCTION(P, SSL_get1_peer_certificate)                                                         \
    FUNCTION(P, EVP_sha256)                                                                        \
    FUNCTION(P, X509_free)                                                                         \
    FUNCTION(P, X509_check_purpose)                                                                \
    FUNCTION(P, X509_get_subject_name)                                                             \
    FUNCTION(P, X509_OBJECT_get0_X509)                                                             \
    FUNCTION(P, X509_STORE_get0_objects)                                                           \
    FUNCTION(P, X509_NAME_digest)                                                                  \
    FUNCTION(P, X509_NAME_get_index_by_NID)                                                        \
    FUNCTION(P, X509_NAME_get_entry)                                                               \
    FUNCTION(P, X509_NAME_ENTRY_get_data)                                                          \
    FUNCTION(P, ASN1_STRING_to_UTF8)                                                               \
    FUNCTION(P, CRYPTO_free)                                                                       \
    FUNCTION(P, SSL_load_client_CA_file)                                                           \
    FUNCTION(P, SSL_new)                                                                           \
    FUNCTION(P, SSL_free)                                                                          \
    FUNCTION(P, SSL_set_bio)                                                                       \
    FUNCTION(P, SSL_set_ex_data)                                                                   \
    FUNCTION(P, SSL_get_ex_data)                                                                   \
    FUNCTION(P, SSL_set_accept_state)                                                              \
    FUNCTION(P, SSL_ctrl)                                                                          \
    FUNCTION(P, SSL_in_init)                                                                       \
    FUNCTION(P, SSL_read_ex)                                                                       \
    FUNCTION(P, SSL_write_ex)                                                                      \
    FUNCTION(P, SSL_has_pending)                                                                   \
    FUNCTION(P, SSL_shutdown)                                                                      \
    FUNCTION(P, SSL_get_error)                                                                     \
    FUNCTION(P, SSL_get_verify_result)                                                             \
    FUNCTION(P, SSL_CTX_get0_certificate)                                                          \
    FUNCTION(P, OPENSSL_sk_num)                                                                    \
    FUNCTION(P, OPENSSL_sk_value)                                                                  \
    FUNCTION(P, OPENSSL_sk_pop_free)                                                               \
    FUNCTION(P, i2d_X509)                                                                          \
    FUNCTION(P, i2d_X509_NAME)                                                                     \
    FUNCTION(P, X509_NAME_free)                                                                    \
    FUNCTION(P, X509_verify_cert_error_string)

SHARED_LIBRARY_DECLARE(tls, , TLS_FUNCTIONS)

/* Returns the library's text for the thread's last error, or `unknown` if there is no error. */
const char *tls_library_reason(const struct tls_library *library, const char *unknown);

#endif
