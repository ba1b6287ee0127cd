/*
 * The one table of the keys of listeners, schemas, sinks and dead letters. Constant.
 *
 * To add a key: a field in config.h and a row in key_table.c. Parsing, default, range, suggestions
 * and help follow from the row.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEY_TABLE_H
#define SLUICE_COLLECTOR_CONFIG_KEY_TABLE_H

#include "collector/config/setting.h"
#include "collector/contract/destination.h"
#include "collector/contract/source.h"

/* Where a key may stand, and what struct it is read into. */
enum key_scope {
    KEY_OF_UDP = SOURCE_KEYS_SOCKET,      /* struct listener_config */
    KEY_OF_CAPTURE = SOURCE_KEYS_CAPTURE, /* the same */
    KEY_OF_SINK = 1 << 2,                 /* struct sink_config */
    KEY_OF_SCHEMA = 1 << 3, /* struct schema_config of a listener (config/listener_keys.h) */
    KEY_OF_FILE = 1 << 4,   /* the same where it is made from a file */
    KEY_OF_FILE_SINK =
        DESTINATION_KEYS_FILE, /* struct sink_config of a destination that is a file */
    KEY_OF_RELAY_SINK = DESTINATION_KEYS_RELAY,       /* struct sink_config of a relay */
    KEY_OF_DEAD_LETTERS = 1 << 7,                     /* struct dead_letter_config */
    KEY_OF_STREAM = SOURCE_KEYS_STREAM,               /* struct listener_config */
    KEY_OF_DELIVERY_SINK = DESTINATION_KEYS_DELIVERY, /* struct sink_config of a delivery */
    KEY_OF_HTTP_SINK = DESTINATION_KEYS_HTTP,         /* struct sink_config of one by HTTP */
    KEY_OF_KAFKA_SINK = DESTINATION_KEYS_KAFKA,       /* struct sink_config of kafka: */
    KEY_OF_NATS_SINK = DESTINATION_KEYS_NATS,         /* struct sink_config of nats: */
};

/* Where a key of some sink may stand. */
#define KEY_OF_ANY_SINK                                                                            \
    (KEY_OF_SINK | KEY_OF_FILE_SINK | KEY_OF_RELAY_SINK | KEY_OF_DELIVERY_SINK |                   \
     KEY_OF_HTTP_SINK | KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK)

/* All keys; a row without a name ends them. At most KEYS_MAX. */
extern const struct setting config_keys[];
#define KEYS_MAX 128

#endif
