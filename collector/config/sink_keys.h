/*
 * Parses the keys of a sink's URL, derives further values from them, and checks that they fit each
 * other.
 *
 * Call sink_keys_parse, then sink_keys_complete, then, for files, sink_keys_check_files. Main
 * thread. Each of these returns false with `fault` filled, its offset counted from the beginning of
 * the keys.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SINK_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_SINK_KEYS_H

#include <stdbool.h>

#include "collector/config/keys.h"

struct sink_keys {
    const struct config_registry *registry;
    struct sink_config *sink; /* the caller sets its `destination` */
    const char *text;         /* "key=value&key=value"; NULL means no keys */
    struct keys_given given;
};

/* Parses the keys (NULL: none) into the sink, and stores the defaults. */
bool sink_keys_parse(struct sink_keys *keys, const char *text, struct parse_error *fault);

/*
 * Sets the values that depend on several keys. Checks that the keys fit each other and the
 * destination.
 */
bool sink_keys_complete(struct sink_keys *keys, struct parse_error *fault);

/*
 * Checks that keys for several files are given only with a path or a rotation that creates several
 * files.
 */
bool sink_keys_check_files(const struct sink_keys *keys, const struct path_fields *path,
                           struct parse_error *fault);

#endif
