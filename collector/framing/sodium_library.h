/* The interface to libsodium, which is loaded at run time (sealed.h). */
#ifndef SLUICE_COLLECTOR_FRAMING_SODIUM_LIBRARY_H
#define SLUICE_COLLECTOR_FRAMING_SODIUM_LIBRARY_H

#include <sodium.h>

#include "collector/platform/shared_library.h"

#define SODIUM_FUNCTIONS(FUNCTION, P)                                                              \
    FUNCTION(P, sodium_init)                                                                       \
    FUNCTION(P, sodium_version_string)                                                             \
    FUNCTION(P, sodium_memcmp)                                                                     \
    FUNCTION(P, crypto_kdf_derive_from_key)                                                        \
    FUNCTION(P, crypto_generichash)                                                                \
    FUNCTION(P, crypto_aead_xchacha20poly1305_ietf_encrypt)                                        \
    FUNCTION(P, crypto_aead_xchacha20poly1305_ietf_decrypt)

SHARED_LIBRARY_DECLARE(sodium, , SODIUM_FUNCTIONS)

#endif
