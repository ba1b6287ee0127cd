/*
 * The keys of listeners and sinks: finding them in their table (key_table.h), and reading them.
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/suggestion.h"
#include "collector/config/key_table.h"

/* Bytes of an open key's name (setting.h) before the part that a user writes. */
size_t key_prefix(const struct setting *key);

/* Whether that is the key's name, or one of an open key's. */
bool key_is_called(const struct setting *key, const char *name, size_t length);

/* For each row: one more than the byte at which it was given, 0: not yet. */
struct keys_given {
    size_t at[KEYS_MAX];
};

/* What a key's value is read into, and where it is noted that it was given. */
struct key_place {
    void *target;
    struct keys_given *given;
};

/*
 * Says where a key that was found at byte `at` of all keys belongs. Returns false with `fault`
 * filled, its place counted from the beginning of all keys.
 */
typedef bool key_placer(void *context, const struct setting *key, size_t at,
                        struct key_place *place, struct parse_error *fault);

/* "a udp listener": what a person calls it; of several, the first. */
const char *key_scope_name(unsigned scopes);

/* The byte at which the key of that name and one of these scopes was given; KEY_NOT_GIVEN. */
#define KEY_NOT_GIVEN SIZE_MAX
size_t keys_place(const struct keys_given *given, unsigned scopes, const char *name);

/*
 * Finds the key of that name. Returns NULL with `fault` filled (its `at` 0) where there is none in
 * these scopes: it says which key was probably meant, or where the key does belong.
 */
const struct setting *key_find(unsigned scopes, const char *name, size_t length,
                               struct parse_error *fault);

/* Offers the names of all keys of these scopes, also those of other programs. */
void keys_offer(unsigned scopes, struct suggestion *suggestion);

/* Where the keys of a sink with this destination may stand. */
unsigned keys_of_sink(const struct destination_ops *destination);

/*
 * Reads "key=value&key=value" into `target` and marks the keys as given. Nothing is decoded: a
 * value ends at '&' or with the text. Returns false with `fault` filled for an unknown key, a key
 * given twice, one without a value, or a value that is not allowed.
 */
bool keys_parse(unsigned scopes, const struct config_registry *registry, const char *text,
                void *target, struct keys_given *given, struct parse_error *fault);

/* The same where not all keys have one target: each has the place that `place_of` says. */
bool keys_parse_placed(unsigned scopes, const struct config_registry *registry, const char *text,
                       key_placer *place_of, void *context, struct parse_error *fault);

/* Gives every key of the scopes that was not given its default. Returns false as keys_parse does.
 */
bool keys_apply_defaults(unsigned scopes, const struct config_registry *registry,
                         const struct keys_given *given, void *target, struct parse_error *fault);

#endif
