/* The configuration of a librdkafka client: our properties and the user's. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "sinks/destinations/kafka_library.h"

struct kafka_settings {
    const char *brokers;     /* "HOST:PORT,HOST:PORT" */
    const char *compression; /* its compression.type; NULL: none */
    const char *properties;  /* a file of properties (property_file.h); NULL: none */
    const char *lines;       /* applied after the file: "NAME=VALUE", a line each; NULL: none */
    uint64_t timeout_ns;     /* a message that is not acknowledged is then reported; 0: never */
};

/*
 * Returns NULL with `error` filled (EXIT_CODE_CONFIG) if the file cannot be read, or the library
 * does not know a property or accept its value; no value is in the error. The caller passes the
 * result to kafka_settings_open or to rd_kafka_conf_destroy.
 */
rd_kafka_conf_t *kafka_settings_make(const struct kafka_library *library,
                                     const struct kafka_settings *settings, struct error *error);

/*
 * Makes a client of these settings, which it owns or, on failure, frees. Returns NULL with `error`
 * filled (EXIT_CODE_CONFIG).
 */
rd_kafka_t *kafka_settings_open(const struct kafka_library *library, rd_kafka_type_t type,
                                rd_kafka_conf_t *conf, struct error *error);

/* As takes_property in struct destination_ops. */
bool kafka_settings_takes(const char *name, const char *value, struct error *error);

#endif
