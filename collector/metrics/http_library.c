#include "collector/metrics/http_library.h"

#include <stddef.h>

#include "collector/platform/library_table.h"

/* The interface that <microhttpd.h> declares. */
#define FILE_NAME "libmicrohttpd.so.12"

const struct http_library *http_library(struct error *error)
{
#define FUNCTION(name) {"MHD_" #name, offsetof(struct http_library, name)},
    static const struct library_function names[] = {HTTP_LIBRARY_FUNCTIONS(FUNCTION)};
#undef FUNCTION
    static struct http_library functions;
    static struct library_table table = {.file = FILE_NAME,
                                         .unless =
                                             "--metrics: this machine has no usable libmicrohttpd",
                                         .functions = names,
                                         .count = sizeof names / sizeof *names,
                                         .pointers = &functions};
    return library_table_load(&table, error) ? &functions : NULL;
}
