/*
 * Reads the part of a URL after "kafka:" or "nats:": "//HOST:PORT,HOST:PORT/NAME". Pure; any
 * thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_BROKER_PLACE_H
#define SLUICE_SINKS_DESTINATIONS_BROKER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/*
 * BROKER_LIST_SIZE: maximum size of the list of brokers in bytes, with its NUL. BROKERS_MOST:
 * maximum number of brokers.
 */
#define BROKER_LIST_SIZE 1024
#define BROKERS_MOST     32

/* A kind of broker, for example {"kafka", "topic", "TOPIC", 9092}. */
struct broker_kind {
    const char *scheme;
    const char *route, *example; /* the word for NAME in messages, and an example of a NAME */
    unsigned port;               /* the default port */
};

struct broker_place {
    char brokers[BROKER_LIST_SIZE]; /* "HOST:PORT,HOST:PORT", each with a port */
    size_t count;
    const char *route; /* the topic or subject; points into the text that was read */
};

/*
 * Reads the text, with or without "//" at its beginning. A broker without a port gets the port of
 * its kind. IPv6 addresses need brackets. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int broker_place_read(const char *text, const struct broker_kind *kind, struct broker_place *place,
                      struct error *error);

/* Returns the topic or subject in the text, or "" if it has none. */
const char *broker_place_route(const char *text);

/*
 * Fills `error` (EXIT_CODE_CONFIG) with the text in quotes, followed by `why`. If the text may
 * contain a password, the error does not show it but says that a password is not allowed there.
 * Returns -1.
 */
int broker_place_refuse(const char *text, const char *why, struct error *error);

#endif
