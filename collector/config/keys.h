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
#include <stdint.h>

#include "collector/config/setting.h"
#include "collector/contract/source.h"

/* Where a key may stand, and what struct it is read into. */
enum key_scope {
    KEY_OF_UDP = SOURCE_KEYS_SOCKET,      /* struct listener_config */
    KEY_OF_CAPTURE = SOURCE_KEYS_CAPTURE, /* the same */
    KEY_OF_SINK = 1 << 2,                 /* struct sink_config */
    KEY_OF_SCHEMA = 1 << 3,     /* struct schema_config of a listener (config/listener_keys.h) */
    KEY_OF_FILE = 1 << 4,       /* the same where it is made from a file */
    KEY_OF_FILE_SINK = 1 << 5,  /* struct sink_config of a destination that is a file */
    KEY_OF_RELAY_SINK = 1 << 6, /* struct sink_config of a relay */
    KEY_OF_LETTERS = 1 << 7,    /* struct dead_letter_config */
    KEY_OF_STREAM = SOURCE_KEYS_STREAM, /* struct listener_config */
    KEY_OF_DELIVERY_SINK = 1 << 9,      /* struct sink_config of a delivery */
    KEY_OF_HTTP_SINK = 1 << 10,         /* struct sink_config of one by HTTP */
    KEY_OF_KAFKA_SINK = 1 << 11,        /* struct sink_config of kafka: */
    KEY_OF_NATS_SINK = 1 << 12,         /* struct sink_config of nats: */
};

/* Bytes of an open key's name (setting.h) before the part that a user writes. */
size_t key_prefix(const struct setting *key);

/* Whether that is the key's name, or one of an open key's. */
bool key_is_called(const struct setting *key, const char *name, size_t length);

/* Where a key of some sink may stand. */
#define KEY_OF_ANY_SINK                                                                            \
    (KEY_OF_SINK | KEY_OF_FILE_SINK | KEY_OF_RELAY_SINK | KEY_OF_DELIVERY_SINK |                   \
     KEY_OF_HTTP_SINK | KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK)

/* All keys; a row without a name ends them. At most KEYS_MAX. */
extern const struct setting config_keys[];
#define KEYS_MAX 128

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
