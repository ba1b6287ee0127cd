/*
 * The table of all keys of listeners, schemas, sinks and dead letters.
 *
 * To add a key, add a field to config.h or contract/sink_settings.h, and a row to key_table.c.
 * Parsing, default, range, suggestions and help follow from the row. A destination declares the
 * keys that no other destination has (own_keys in contract/destination.h); key_table_add_own puts
 * them into the table.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEY_TABLE_H
#define SLUICE_COLLECTOR_CONFIG_KEY_TABLE_H

#include <stdbool.h>

#include "collector/config/setting.h"
#include "collector/contract/destination.h"
#include "collector/contract/source.h"

/*
 * The scopes of keys. A scope is the kind of listener, schema, sink or file that a key belongs to;
 * the comments name the struct that the key's value is stored in.
 */
enum key_scope {
    KEY_OF_UDP = SOURCE_KEYS_SOCKET,      /* struct listener_config */
    KEY_OF_CAPTURE = SOURCE_KEYS_CAPTURE, /* struct listener_config */
    KEY_OF_SINK = 1 << 2,                 /* struct sink_config */
    KEY_OF_SCHEMA = 1 << 3, /* struct schema_config of a listener (config/listener_keys.h) */
    KEY_OF_FILE = 1 << 4,   /* struct schema_config of a schema that is made from a file */
    KEY_OF_FILE_SINK = DESTINATION_KEYS_FILE,         /* struct sink_config of a file */
    KEY_OF_RELAY_SINK = DESTINATION_KEYS_RELAY,       /* struct sink_config of a relay */
    KEY_OF_DEAD_LETTERS = 1 << 7,                     /* struct dead_letter_config */
    KEY_OF_STREAM = SOURCE_KEYS_STREAM,               /* struct listener_config */
    KEY_OF_TCP = SOURCE_KEYS_TCP,                     /* struct listener_config */
    KEY_OF_LOCAL = SOURCE_KEYS_LOCAL,                 /* struct listener_config */
    KEY_OF_DTLS = SOURCE_KEYS_DTLS,                   /* struct listener_config */
    KEY_OF_DELIVERY_SINK = DESTINATION_KEYS_DELIVERY, /* struct sink_config of a delivery */
    KEY_OF_HTTP_SINK = DESTINATION_KEYS_HTTP,         /* struct sink_config of a delivery by HTTP */
    KEY_OF_KAFKA_SINK = DESTINATION_KEYS_KAFKA,       /* struct sink_config of kafka: */
    KEY_OF_NATS_SINK = DESTINATION_KEYS_NATS,         /* struct sink_config of nats: */
    KEY_OF_IN_FLIGHT = DESTINATION_KEYS_IN_FLIGHT,    /* struct sink_config of a delivery */
};

/* The scopes of keys that destinations declare themselves: a bit for each table of own keys. */
#define KEY_OF_OWN_BIT   17
#define KEY_OF_OWN_FIRST (1U << KEY_OF_OWN_BIT)
#define KEY_OF_OWN       (~(KEY_OF_OWN_FIRST - 1))

/* The scopes of all keys that a listener may have, without those of its schemas. */
#define KEY_OF_ANY_LISTENER                                                                        \
    (KEY_OF_UDP | KEY_OF_STREAM | KEY_OF_TCP | KEY_OF_LOCAL | KEY_OF_DTLS | KEY_OF_CAPTURE)

/* Returns true if a listener with keys of these scopes has only streams, never datagrams. */
static inline bool key_scopes_are_stream(unsigned scopes)
{
    return (scopes & KEY_OF_STREAM) != 0 && (scopes & (KEY_OF_UDP | KEY_OF_CAPTURE)) == 0;
}

/* The scopes of all keys that a sink may have. */
#define KEY_OF_ANY_SINK                                                                            \
    (KEY_OF_SINK | KEY_OF_FILE_SINK | KEY_OF_RELAY_SINK | KEY_OF_DELIVERY_SINK |                   \
     KEY_OF_HTTP_SINK | KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK | KEY_OF_IN_FLIGHT | KEY_OF_OWN)

/* All keys; a row without a name ends the table. KEYS_MAX includes that row. */
extern const struct setting *const config_keys;
#define KEYS_MAX 128

/*
 * Adds the own keys of the destinations (NULL at the end) to the table; keys that are there already
 * are not added again. Main thread, before other threads read the table.
 */
void key_table_add_own(const struct destination_ops *const *destinations);

/* Returns the scope of the destination's own keys; 0 if it has none or they were not added. */
unsigned key_table_own_scope(const struct destination_ops *destination);

/*
 * Returns the name, for messages, of a sink with the destination that declares the keys of this
 * scope: "a tcp: sink".
 */
const char *key_table_own_name(unsigned scope);

#endif
