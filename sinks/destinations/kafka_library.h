/*
 * librdkafka, loaded when a sink is a kafka: one. Who has none needs neither it nor memory for it.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_LIBRARY_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_LIBRARY_H

#include <librdkafka/rdkafka.h>

#include "collector/base/error.h"

/* The functions that are used of it, each without "rd_kafka_". */
#define KAFKA_LIBRARY_FUNCTIONS(FUNCTION)                                                          \
    FUNCTION(version_str)                                                                          \
    FUNCTION(conf_new)                                                                             \
    FUNCTION(conf_destroy)                                                                         \
    FUNCTION(conf_set)                                                                             \
    FUNCTION(conf_get)                                                                             \
    FUNCTION(conf_set_opaque)                                                                      \
    FUNCTION(conf_set_dr_msg_cb)                                                                   \
    FUNCTION(conf_set_error_cb)                                                                    \
    FUNCTION(conf_set_log_cb)                                                                      \
    FUNCTION(conf_set_stats_cb)                                                                    \
    FUNCTION(new)                                                                                  \
    FUNCTION(destroy)                                                                              \
    FUNCTION(poll)                                                                                 \
    FUNCTION(flush)                                                                                \
    FUNCTION(purge)                                                                                \
    FUNCTION(fatal_error)                                                                          \
    FUNCTION(last_error)                                                                           \
    FUNCTION(err2str)                                                                              \
    FUNCTION(queue_get_main)                                                                       \
    FUNCTION(queue_destroy)                                                                        \
    FUNCTION(queue_cb_event_enable)                                                                \
    FUNCTION(topic_new)                                                                            \
    FUNCTION(topic_destroy)                                                                        \
    FUNCTION(produce_batch)                                                                        \
    FUNCTION(produceva)                                                                            \
    FUNCTION(headers_new)                                                                          \
    FUNCTION(header_add)                                                                           \
    FUNCTION(headers_destroy)                                                                      \
    FUNCTION(error_code)                                                                           \
    FUNCTION(error_destroy)                                                                        \
    FUNCTION(message_status)                                                                       \
    FUNCTION(metadata)                                                                             \
    FUNCTION(metadata_destroy)

#define KAFKA_LIBRARY_MEMBER(name) __typeof__(rd_kafka_##name) *name;
struct kafka_library {
    KAFKA_LIBRARY_FUNCTIONS(KAFKA_LIBRARY_MEMBER)
};
#undef KAFKA_LIBRARY_MEMBER

/*
 * Main thread: the library, loaded at the first call. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) where this machine does not have it.
 */
const struct kafka_library *kafka_library(struct error *error);

/* The library and its version; NULL: this system has none. Main thread. */
const char *kafka_library_version(void);

#endif
