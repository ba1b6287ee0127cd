#include "collector/receive/tls_library.h"

#include <stddef.h>

#include "collector/platform/shared_library.h"
#include "collector/receive/tls_memory.h"

#define NAME "libssl.so.3" /* the interface that <openssl/ssl.h> declares; it brings libcrypto */

static bool find_functions(void *library, struct tls_library *functions, struct error *error)
{
#define FIND(name)                                                                                 \
    if (!shared_library_find(library, #name, &functions->name, error))                             \
        return false;
    TLS_LIBRARY_FUNCTIONS(FIND)
#undef FIND
    return true;
}

const struct tls_library *tls_library(struct error *error)
{
    static struct tls_library functions;
    static bool loaded;
    if (loaded)
        return &functions;
    struct error why;
    void *library = shared_library_load(NAME, &why);
    if (library == NULL || !find_functions(library, &functions, &why)) {
        error_set(error, EXIT_CODE_CONFIG, "tls=on: this machine has no usable OpenSSL: %s",
                  why.text);
        return NULL;
    }
    loaded = true;
    tls_memory_begin(&functions);
    return &functions;
}
