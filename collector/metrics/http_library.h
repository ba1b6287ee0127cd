/*
 * libmicrohttpd, which is loaded only if --metrics is used; with the libraries that it needs it
 * takes 2.4 MiB.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H
#define SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "collector/platform/shared_library.h"

/* The functions of the library that are used. */
#define HTTP_FUNCTIONS(FUNCTION, P)                                                                \
    FUNCTION(P, get_version)                                                                       \
    FUNCTION(P, start_daemon)                                                                      \
    FUNCTION(P, add_connection)                                                                    \
    FUNCTION(P, stop_daemon)                                                                       \
    FUNCTION(P, get_daemon_info)                                                                   \
    FUNCTION(P, get_timeout)                                                                       \
    FUNCTION(P, run)                                                                               \
    FUNCTION(P, get_connection_values)                                                             \
    FUNCTION(P, lookup_connection_value)                                                           \
    FUNCTION(P, create_response_from_buffer)                                                       \
    FUNCTION(P, create_response_from_callback)                                                     \
    FUNCTION(P, add_response_header)                                                               \
    FUNCTION(P, queue_response)                                                                    \
    FUNCTION(P, resume_connection)                                                                 \
    FUNCTION(P, suspend_connection)                                                                \
    FUNCTION(P, destroy_response)

SHARED_LIBRARY_DECLARE(http, MHD_, HTTP_FUNCTIONS)

#endif
