/*
 * Declares the functions of libcurl, which is loaded only if there is an `http:` or `https:` sink.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_CURL_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_CURL_LIBRARY_H

#include <curl/curl.h>

#include "collector/platform/shared_library.h"

#define CURL_FUNCTIONS(FUNCTION, P)                                                                \
    FUNCTION(P, version)                                                                           \
    FUNCTION(P, global_init)                                                                       \
    FUNCTION(P, easy_init)                                                                         \
    FUNCTION(P, easy_cleanup)                                                                      \
    FUNCTION(P, easy_perform)                                                                      \
    FUNCTION(P, easy_strerror)                                                                     \
    FUNCTION(P, multi_init)                                                                        \
    FUNCTION(P, multi_cleanup)                                                                     \
    FUNCTION(P, multi_add_handle)                                                                  \
    FUNCTION(P, multi_remove_handle)                                                               \
    FUNCTION(P, multi_perform)                                                                     \
    FUNCTION(P, multi_poll)                                                                        \
    FUNCTION(P, multi_wakeup)                                                                      \
    FUNCTION(P, multi_info_read)                                                                   \
    FUNCTION(P, slist_append)                                                                      \
    FUNCTION(P, slist_free_all)                                                                    \
    FUNCTION(P, easy_setopt)                                                                       \
    FUNCTION(P, easy_getinfo)

SHARED_LIBRARY_DECLARE(curl, curl_, CURL_FUNCTIONS)

#endif
