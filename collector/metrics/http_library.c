#include "collector/metrics/http_library.h"

#include <stddef.h>

#include "collector/platform/shared_library.h"

#define NAME "libmicrohttpd.so.12" /* the interface that <microhttpd.h> declares */

static bool find_functions(void *library, struct http_library *functions, struct error *error)
{
#define FIND(name)                                                                                 \
    if (!shared_library_find(library, "MHD_" #name, &functions->name, error))                      \
        return false;
    HTTP_LIBRARY_FUNCTIONS(FIND)
#undef FIND
    return true;
}

const struct http_library *http_library(struct error *error)
{
    static struct http_library functions;
    static bool loaded;
    if (loaded)
        return &functions;
    struct error why;
    void *library = shared_library_load(NAME, &why);
    if (library == NULL || !find_functions(library, &functions, &why)) {
        error_set(error, EXIT_CODE_CONFIG,
                  "--metrics: this machine has no usable libmicrohttpd: %s", why.text);
        return NULL;
    }
    loaded = true;
    return &functions;
}
