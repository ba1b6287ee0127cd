#include "sinks/destinations/curl_library.h"

#include <stddef.h>

#include "collector/platform/library_table.h"

/* The interface that <curl/curl.h> declares. */
#define FILE_NAME "libcurl.so.4"

const struct curl_library *curl_library(struct error *error)
{
#define FUNCTION(name) {"curl_" #name, offsetof(struct curl_library, name)},
    static const struct library_function names[] = {
        CURL_LIBRARY_FUNCTIONS(FUNCTION) FUNCTION(easy_setopt) FUNCTION(easy_getinfo)};
#undef FUNCTION
    static struct curl_library functions;
    static struct library_table table = {.file = FILE_NAME,
                                         .unless = "this machine has no usable libcurl",
                                         .functions = names,
                                         .count = sizeof names / sizeof *names,
                                         .pointers = &functions};
    static bool initialised;
    if (!library_table_load(&table, error))
        return NULL;
    if (!initialised && functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        error_set(error, EXIT_CODE_CONFIG, "libcurl could not be initialised");
        return NULL;
    }
    initialised = true;
    return &functions;
}
