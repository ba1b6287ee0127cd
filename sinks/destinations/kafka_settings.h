/*
 * The settings that a producer of librdkafka is made with: ours, and the user's properties.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "sinks/destinations/kafka_library.h"

struct kafka_settings {
    const char *brokers;     /* "HOST:PORT,HOST:PORT" */
    const char *compression; /* its compression.type; NULL: none */
    const char *properties;  /* a file of more (property_file.h); NULL: none */
    const char *lines;       /* more, after those of the file: "NAME=VALUE", a line each; NULL */
    uint64_t timeout_ns;     /* until a message that was not acknowledged is reported; 0: never */
};

/*
 * Makes them. Returns NULL with `error` filled (EXIT_CODE_CONFIG): the file cannot be read, or the
 * library does not know a property or take its value; no value of the file is in the error. The
 * caller hands the result to rd_kafka_new, or to rd_kafka_conf_destroy.
 */
rd_kafka_conf_t *kafka_settings_make(const struct kafka_library *library,
                                     const struct kafka_settings *settings, struct error *error);

/* Whether the library takes it (destination.h: takes_property). */
bool kafka_settings_takes(const char *name, const char *value, struct error *error);

#endif
