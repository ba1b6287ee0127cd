/*
 * What follows "kafka://" and "nats://": the brokers, a slash, and where in them records go.
 * "HOST:PORT,HOST:PORT/NAME". Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_BROKER_PLACE_H
#define SLUICE_SINKS_DESTINATIONS_BROKER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/* Bytes of the list of brokers, with the NUL that ends it, and how many there may be. */
#define BROKER_LIST_SIZE 1024
#define BROKERS_MOST     32

struct broker_place {
    char brokers[BROKER_LIST_SIZE]; /* "HOST:PORT,HOST:PORT", each with a port */
    size_t count;
    const char *route; /* what stands after the slash, in the text that was read */
};

/*
 * Reads the text, with or without the "//" that it may begin with. A broker without a port gets
 * `default_port`. An IPv6 address stands in brackets. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int broker_place_read(const char *text, unsigned default_port, struct broker_place *place,
                      struct error *error);

/* What follows the brokers in such a text; "": nothing does. */
const char *broker_place_route(const char *text);

/*
 * Fills `error` (EXIT_CODE_CONFIG): "\"TEXT\" WHY", or, where a user and a password may be in the
 * text, that they have no place there, without any of it. Returns -1.
 */
int broker_place_refuse(const char *text, const char *why, struct error *error);

#endif
