/*
 * The keys of a listener's URL: its own, and those of its schemas.
 *
 * Each `schema=` opens a group, and the keys of a schema that follow it are about that one; the
 * listener's own keys may stand anywhere. Without `schema=` there is one with the default. Of the
 * schemas the first that matches a datagram has it, so only the last may be without `match=`.
 * Functions of the main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_LISTENER_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_LISTENER_KEYS_H

#include <stdbool.h>

#include "collector/config/keys.h"

/*
 * Reads "key=value&key=value" (NULL: no keys) into `listener`, defaults included. `kind` is
 * KEY_OF_UDP or KEY_OF_CAPTURE. Returns false with `fault` filled, its place counted from the
 * beginning of `text`; what `listener` then holds is released by config_free all the same.
 */
bool listener_keys_parse(unsigned kind, const struct config_registry *registry, const char *text,
                         struct listener_config *listener, struct parse_error *fault);

#endif
