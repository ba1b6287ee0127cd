#include "collector/receive/tls_name.h"

#include <string.h>

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
