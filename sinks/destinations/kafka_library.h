/* Declares the functions of librdkafka, which is loaded only if there is a `kafka:` sink. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_LIBRARY_H

#include <librdkafka/rdkafka.h>

#include "collector/platform/shared_library.h"

#define KAFKA_FUNCTIONS(FUNCTION, P)                                                               \
    FUNCTION(P, version_str)                                                                       \
    FUNCTION(P, conf_new)                                                                          \
    FUNCTION(P, conf_destroy)                                                                      \
    FUNCTION(P, conf_set)                                                                          \
    FUNCTION(P, conf_get)                                                                          \
    FUNCTION(P, conf_set_opaque)                                                                   \
    FUNCTION(P, conf_set_dr_msg_cb)                                                                \
    FUNCTION(P, conf_set_error_cb)                                                                 \
    FUNCTION(P, conf_set_log_cb)                                                                   \
    FUNCTION(P, conf_set_stats_cb)                                                                 \
    FUNCTION(P, conf_set_ssl_cert_verify_cb)                                                       \
    FUNCTION(P, new)                                                                               \
    FUNCTION(P, destroy)                                                                           \
    FUNCTION(P, poll)                                                                              \
    FUNCTION(P, flush)                                                                             \
    FUNCTION(P, purge)                                                                             \
    FUNCTION(P, fatal_error)                                                                       \
    FUNCTION(P, set_log_queue)                                                                     \
    FUNCTION(P, set_log_level)                                                                     \
    FUNCTION(P, opaque)                                                                            \
    FUNCTION(P, last_error)                                                                        \
    FUNCTION(P, err2str)                                                                           \
    FUNCTION(P, queue_get_main)                                                                    \
    FUNCTION(P, queue_destroy)                                                                     \
    FUNCTION(P, queue_cb_event_enable)                                                             \
    FUNCTION(P, topic_new)                                                                         \
    FUNCTION(P, topic_destroy)                                                                     \
    FUNCTION(P, produce_batch)                                                                     \
    FUNCTION(P, produceva)                                                                         \
    FUNCTION(P, headers_new)                                                                       \
    FUNCTION(P, header_add)                                                                        \
    FUNCTION(P, headers_destroy)                                                                   \
    FUNCTION(P, error_code)                                                                        \
    FUNCTION(P, error_destroy)                                                                     \
    FUNCTION(P, message_status)                                                                    \
    FUNCTION(P, metadata)                                                                          \
    FUNCTION(P, metadata_destroy)

SHARED_LIBRARY_DECLARE(kafka, rd_kafka_, KAFKA_FUNCTIONS)

#endif
