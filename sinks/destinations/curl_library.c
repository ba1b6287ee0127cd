#include "sinks/destinations/curl_library.h"

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/shared_library.h"

#define NAME "libcurl.so.4" /* the interface that <curl/curl.h> declares */

static bool find_functions(void *library, struct curl_library *functions, struct error *error)
{
#define FIND(name)                                                                                 \
    if (!shared_library_find(library, "curl_" #name, &functions->name, error))                     \
        return false;
    CURL_LIBRARY_FUNCTIONS(FIND)
    FIND(easy_setopt)
    FIND(easy_getinfo)
#undef FIND
    return true;
}

const struct curl_library *curl_library(struct error *error)
{
    static struct curl_library functions;
    static bool loaded;
    if (loaded)
        return &functions;
    struct error why = {0};
    void *library = shared_library_load(NAME, &why);
    if (library == NULL || !find_functions(library, &functions, &why)) {
        error_set(error, EXIT_CODE_CONFIG, "this machine has no usable libcurl: %s", why.text);
        return NULL;
    }
    if (functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        error_set(error, EXIT_CODE_CONFIG, "libcurl could not be initialised");
        return NULL;
    }
    loaded = true;
    return &functions;
}
