#include "collector/receive/tls_library.h"

#include <stddef.h>

#include "collector/platform/library_table.h"

/* The version that <openssl/ssl.h> declares. It loads libcrypto. */
#define FILE_NAME "libssl.so.3"

const struct tls_library *tls_library(struct error *error)
{
#define FUNCTION(name) {#name, offsetof(struct tls_library, name)},
    static const struct library_function names[] = {TLS_LIBRARY_FUNCTIONS(FUNCTION)};
#undef FUNCTION
    static struct tls_library functions;
    static struct library_table table = {.file = FILE_NAME,
                                         .unless = "tls=on: this machine has no usable OpenSSL",
                                         .functions = names,
                                         .count = sizeof names / sizeof *names,
                                         .pointers = &functions};
    return library_table_load(&table, error) ? &functions : NULL;
}

const char *tls_library_reason(const struct tls_library *library, const char *unknown)
{
    const char *text = library->ERR_reason_error_string(library->ERR_peek_error());
    return text != NULL ? text : unknown;
}
