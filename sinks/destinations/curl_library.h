/*
 * libcurl, loaded when a sink goes to http: or https:. Who has none needs neither it nor memory for
 * it.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_CURL_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_CURL_LIBRARY_H

#include <curl/curl.h>

#include "collector/base/error.h"

/* The functions that are used of it, without curl_ before their names. */
#define CURL_LIBRARY_FUNCTIONS(FUNCTION)                                                           \
    FUNCTION(version)                                                                              \
    FUNCTION(global_init)                                                                          \
    FUNCTION(easy_init)                                                                            \
    FUNCTION(easy_cleanup)                                                                         \
    FUNCTION(easy_perform)                                                                         \
    FUNCTION(easy_strerror)                                                                        \
    FUNCTION(multi_init)                                                                           \
    FUNCTION(multi_cleanup)                                                                        \
    FUNCTION(multi_add_handle)                                                                     \
    FUNCTION(multi_remove_handle)                                                                  \
    FUNCTION(multi_perform)                                                                        \
    FUNCTION(multi_poll)                                                                           \
    FUNCTION(multi_wakeup)                                                                         \
    FUNCTION(multi_info_read)                                                                      \
    FUNCTION(slist_append)                                                                         \
    FUNCTION(slist_free_all)

#define CURL_LIBRARY_MEMBER(name) __typeof__(curl_##name) *name;
struct curl_library {
    CURL_LIBRARY_FUNCTIONS(CURL_LIBRARY_MEMBER)

    /* Of variable arguments: each call has one more. */
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
};
#undef CURL_LIBRARY_MEMBER

/*
 * Main thread: the library, loaded and initialised at the first call. Returns NULL with `error`
 * filled (EXIT_CODE_CONFIG) where this machine does not have it.
 */
const struct curl_library *curl_library(struct error *error);

#endif
