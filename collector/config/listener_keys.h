/*
 * Parses the keys of a listener's URL: the listener's own keys, and those of its schemas.
 *
 * Each `schema=` begins a group, which consists of the schema keys after it; the listener's own
 * keys may be anywhere. Without `schema=` there is one default schema. The first schema that
 * matches a datagram decodes it, so only the last schema may omit `match=`. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_LISTENER_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_LISTENER_KEYS_H

#include <stdbool.h>

#include "collector/config/keys.h"

/*
 * Parses "key=value&key=value" (NULL: no keys) into `listener`, and stores the defaults. `kind` has
 * the bits (enum key_scope) of the keys that the listener's source accepts. Returns false with
 * `fault` filled, its offset counted from the beginning of `text`. config_free frees `listener` in
 * both cases.
 */
bool listener_keys_parse(unsigned kind, const struct config_registry *registry, const char *text,
                         struct listener_config *listener, struct parse_error *fault);

#endif
