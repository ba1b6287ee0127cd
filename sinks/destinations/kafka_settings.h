/*
 * Makes the configuration of a librdkafka client from the properties that sluice sets and those
 * that the user sets.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "sinks/destinations/kafka_library.h"

struct kafka_settings {
    const char *brokers;     /* "HOST:PORT,HOST:PORT" */
    const char *compression; /* librdkafka's compression.type, or NULL */
    const char *properties;  /* a file of properties (property_file.h), or NULL */
    const char *lines;   /* properties that override the file, a line "NAME=VALUE" each; or NULL */
    uint64_t timeout_ns; /* after this time without an acknowledgement a message fails; 0: never */
};

/*
 * Makes the configuration. Returns NULL with `error` filled (EXIT_CODE_CONFIG) if the file cannot
 * be read, or if the library does not know a property or does not accept its value. The error
 * contains no value. The caller passes the result to kafka_settings_open or to
 * rd_kafka_conf_destroy.
 */
rd_kafka_conf_t *kafka_settings_make(const struct kafka_library *library,
                                     const struct kafka_settings *settings, struct error *error);

/*
 * Makes a client. Takes over `conf`, even on failure. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) on failure.
 */
rd_kafka_t *kafka_settings_open(const struct kafka_library *library, rd_kafka_type_t type,
                                rd_kafka_conf_t *conf, struct error *error);

/* Implements takes_property of struct destination_ops. */
bool kafka_settings_takes(const char *name, const char *value, struct error *error);

#endif
