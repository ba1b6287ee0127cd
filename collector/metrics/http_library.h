/*
 * libmicrohttpd, loaded when metrics are served: with what it needs itself it takes 2.4 MiB, and no
 * package has to bring it for those who serve none.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H
#define SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "collector/base/error.h"

/* The functions that are used of it. */
#define HTTP_LIBRARY_FUNCTIONS(FUNCTION)                                                           \
    FUNCTION(get_version)                                                                          \
    FUNCTION(start_daemon)                                                                         \
    FUNCTION(add_connection)                                                                       \
    FUNCTION(stop_daemon)                                                                          \
    FUNCTION(get_daemon_info)                                                                      \
    FUNCTION(get_timeout)                                                                          \
    FUNCTION(run)                                                                                  \
    FUNCTION(get_connection_values)                                                                \
    FUNCTION(lookup_connection_value)                                                              \
    FUNCTION(create_response_from_buffer)                                                          \
    FUNCTION(create_response_from_callback)                                                        \
    FUNCTION(add_response_header)                                                                  \
    FUNCTION(queue_response)                                                                       \
    FUNCTION(resume_connection)                                                                    \
    FUNCTION(suspend_connection)                                                                   \
    FUNCTION(destroy_response)

#define HTTP_LIBRARY_MEMBER(name) __typeof__(MHD_##name) *name;
struct http_library {
    HTTP_LIBRARY_FUNCTIONS(HTTP_LIBRARY_MEMBER)
};
#undef HTTP_LIBRARY_MEMBER

/*
 * Main thread: the library, loaded at the first call. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) where this machine does not have it.
 */
const struct http_library *http_library(struct error *error);

#endif
