/*
 * The keys of listeners and sinks: the one table of them, and reading them.
 *
 * To add a key: a field in config.h and a row in keys.c. Parsing, default, range, suggestions and
 * help follow from the row. Pure functions over constant tables; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/setting.h"

/* Where a key may stand, and what struct it is read into. */
enum key_scope {
    KEY_OF_UDP = 1 << 0,     /* struct listener_config */
    KEY_OF_CAPTURE = 1 << 1, /* struct listener_config */
    KEY_OF_SINK = 1 << 2,    /* struct sink_config */
};

/* All keys; a row without a name ends them. At most KEYS_MAX. */
extern const struct setting config_keys[];
#define KEYS_MAX 64

/* Which keys were given: one bit for each row. All zero to begin with. */
struct keys_given {
    bool at[KEYS_MAX];
};

/* "a udp listener": what a person calls it. */
const char *key_scope_name(enum key_scope scope);

/*
 * Finds the key of that name. Returns NULL with `fault` filled (its `at` 0) where there is none in
 * this scope: it says which key was probably meant, or where the key does belong.
 */
const struct setting *key_find(enum key_scope scope, const char *name, size_t length,
                               struct fault *fault);

/*
 * Reads "key=value&key=value" into `target` and marks the keys as given. Nothing is decoded: a
 * value ends at '&' or with the text. Returns false with `fault` filled for an unknown key, a key
 * given twice, one without a value, or a value that is not allowed.
 */
bool keys_parse(enum key_scope scope, const struct config_choices *choices, const char *text,
                void *target, struct keys_given *given, struct fault *fault);

/* Gives every key of the scope that was not given its default. Returns false as keys_parse does. */
bool keys_apply_defaults(enum key_scope scope, const struct config_choices *choices,
                         const struct keys_given *given, void *target, struct fault *fault);

#endif
