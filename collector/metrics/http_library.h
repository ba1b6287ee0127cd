/*
 * libmicrohttpd, loaded only when metrics are served: with its dependencies it takes 2.4 MiB, and
 * the package need not depend on it.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H
#define SLUICE_COLLECTOR_METRICS_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "collector/base/error.h"

/* The functions of it that are used. */
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
 * Returns the library, loaded by the first call; or NULL with `error` filled (EXIT_CODE_CONFIG) if
 * this system does not have it. Main thread.
 */
const struct http_library *http_library(struct error *error);

#endif
