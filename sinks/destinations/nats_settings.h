/* Makes the options of a nats.c connection, and connects to a server. */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_SETTINGS_H
#define SLUICE_SINKS_DESTINATIONS_NATS_SETTINGS_H

#include <stdbool.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/nats_library.h"

/* Time limit for connecting to a server, and for one write to it, in milliseconds. */
#define NATS_PATIENCE_MS 2000

/*
 * Makes the options, without callbacks. Returns NULL with `error` filled (EXIT_CODE_CONFIG) if a
 * file cannot be read or the library does not accept its content. The caller destroys the options.
 */
natsOptions *nats_settings_make(const struct nats_library *library,
                                const struct broker_place *place,
                                const struct broker_options *options, const struct client_tls *tls,
                                struct error *error);

/*
 * Connects to a server. `settings` must outlive the connection. Returns true if the server is
 * usable. Otherwise `error` is filled (EXIT_CODE_NOT_REACHED; EXIT_CODE_CONFIG: the server refuses
 * the settings, or does not accept headers). In both cases the caller owns *connection, which may
 * be NULL on failure.
 */
bool nats_settings_connect(const struct nats_library *library, natsOptions *settings,
                           natsConnection **connection, struct error *error);

#endif
