/*
 * Finds the keys of listeners and sinks in their table (key_table.h), and parses them. Pure
 * functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/suggestion.h"
#include "collector/config/key_table.h"

/* Returns the length of the fixed prefix of an open key's name (setting.h). */
size_t key_prefix(const struct setting *key);

/* Returns true if `name` is the key's name, or one of the names of an open key. */
bool key_is_called(const struct setting *key, const char *name, size_t length);

/* For each row of config_keys: the byte offset at which the key was given, plus 1; 0: not given. */
struct keys_given {
    size_t at[KEYS_MAX];
};

/*
 * The struct that a key's value is stored in, and the struct that records that the key was given.
 */
struct key_place {
    void *target;
    struct keys_given *given;
};

/*
 * Sets *place for a key that was found at byte `at` of all keys, and returns true. Returns false
 * with `fault` filled, its offset counted from the beginning of all keys.
 */
typedef bool key_placer(void *context, const struct setting *key, size_t at,
                        struct key_place *place, struct parse_error *fault);

/*
 * Returns the name of a scope for messages, "a udp listener". If several scopes are given, returns
 * the name of the first.
 */
const char *key_scope_name(unsigned scopes);

/*
 * Returns the byte offset at which the key with that name and one of these scopes was given, or
 * KEY_NOT_GIVEN.
 */
#define KEY_NOT_GIVEN SIZE_MAX
size_t keys_place(const struct keys_given *given, unsigned scopes, const char *name);

/*
 * Finds the key with that name in these scopes. If there is no such key, returns NULL with `fault`
 * filled (its `at` is 0): the text names the most similar key, or where the key is allowed.
 */
const struct setting *key_find(unsigned scopes, const char *name, size_t length,
                               struct parse_error *fault);

/*
 * Offers the names of all keys of these scopes, and the names that other programs use for these
 * keys.
 */
void keys_offer(unsigned scopes, struct suggestion *suggestion);

/* Returns the scopes of the keys of a sink with this destination. */
unsigned keys_of_sink(const struct destination_ops *destination);

/*
 * Parses "key=value&key=value" into `target` and marks the keys as given. Does not decode values: a
 * value ends at '&' or at the end. Returns false with `fault` filled for an unknown key, a repeated
 * key, a missing value, or an invalid value.
 */
bool keys_parse(unsigned scopes, const struct config_registry *registry, const char *text,
                void *target, struct keys_given *given, struct parse_error *fault);

/* Like keys_parse, for keys with different targets; `place_of` returns the target of each key. */
bool keys_parse_placed(unsigned scopes, const struct config_registry *registry, const char *text,
                       key_placer *place_of, void *context, struct parse_error *fault);

/*
 * Stores the defaults of those keys of the scopes that were not given. Returns as keys_parse does.
 */
bool keys_apply_defaults(unsigned scopes, const struct config_registry *registry,
                         const struct keys_given *given, void *target, struct parse_error *fault);

#endif
