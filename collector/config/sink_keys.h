/*
 * The keys of a sink's URL: what is given, what follows from it, and what excludes what.
 *
 * Read by sink_keys_parse, then made complete; then, of a file, checked against its path. Functions
 * of the main thread. Each returns false with `fault` filled, its place counted from the beginning
 * of the keys.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SINK_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_SINK_KEYS_H

#include <stdbool.h>

#include "collector/config/keys.h"

struct sink_keys {
    const struct config_registry *registry;
    struct sink_config *sink; /* its destination is there */
    const char *text;         /* "key=value&key=value"; NULL: no keys */
    struct keys_given given;
};

/* Reads the keys (NULL: none) into the sink, defaults included. */
bool sink_keys_parse(struct sink_keys *keys, const char *text, struct parse_error *fault);

/* Sets what depends on several keys, and checks that they fit each other and the destination. */
bool sink_keys_complete(struct sink_keys *keys, struct parse_error *fault);

/* Checks that keys about more than one file have a path, or a rotation, that makes more than one.
 */
bool sink_keys_check_files(const struct sink_keys *keys, const struct path_fields *path,
                           struct parse_error *fault);

#endif
