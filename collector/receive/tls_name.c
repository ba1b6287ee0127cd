#include "collector/receive/tls_name.h"

#include <string.h>

#include "collector/senders/sender_key_line.h"

bool tls_name(const struct tls_library *library, const SSL *ssl, uint8_t name[CHANNEL_NAME_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    X509 *certificate = library->SSL_get1_peer_certificate(ssl);
    if (certificate == NULL)
        return false;
    bool found = library->X509_NAME_digest(library->X509_get_subject_name(certificate),
                                           library->EVP_sha256(), digest, NULL) == 1;
    if (found)
        memcpy(name, digest, CHANNEL_NAME_SIZE);
    library->X509_free(certificate);
    return found;
}

static bool copy_name(const unsigned char *text, size_t size, char name[SENDER_NAME_MAX + 1])
{
    if (size > SENDER_NAME_MAX)
        return false;
    memcpy(name, text, size);
    name[size] = '\0';
    if (strlen(name) == size && sender_key_is_name(name))
        return true;
    name[0] = '\0';
    return false;
}

static bool read_common_name(const struct tls_library *library, const X509_NAME *subject,
                             char name[SENDER_NAME_MAX + 1])
{
    int last = -1;
    for (int at = -1; (at = library->X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;)
        last = at;
    if (last < 0)
        return false;
    unsigned char *text = NULL;
    int size = library->ASN1_STRING_to_UTF8(
        &text, library->X509_NAME_ENTRY_get_data(library->X509_NAME_get_entry(subject, last)));
    bool found = size > 0 && copy_name(text, (size_t)size, name);
    if (size >= 0)
        library->CRYPTO_free(text, __FILE__, __LINE__);
    return found;
}

enum tls_name_result tls_name_text(const struct tls_library *library, const SSL *ssl,
                                   char name[SENDER_NAME_MAX + 1])
{
    name[0] = '\0';
    X509 *certificate = library->SSL_get1_peer_certificate(ssl);
    if (certificate == NULL)
        return TLS_NAME_NONE;
    bool found = read_common_name(library, library->X509_get_subject_name(certificate), name);
    library->X509_free(certificate);
    return found ? TLS_NAME_FOUND : TLS_NAME_UNUSABLE;
}
