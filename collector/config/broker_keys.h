/*
 * Parses the keys of a sink for message brokers (collector/contract/broker_options.h). Pure; any
 * thread. Each parser is a setting_parser (setting.h).
 */
#ifndef SLUICE_COLLECTOR_CONFIG_BROKER_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_BROKER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/contract/broker_options.h"
#include "collector/contract/encoder.h"

/* Syntax for help texts. */
#define BROKER_KEYS_KEY_SYNTAX    "none|source|series|sender|label:NAME"
#define BROKER_KEYS_HEADER_SYNTAX "schema,listener,collector,number"

/* The field is a struct key_options; the caller frees its label. */
bool broker_keys_parse_key(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault);

/* Parses comma-separated names. The field is an unsigned: bits of enum message_header. */
bool broker_keys_parse_headers(const char *name, const char *text, size_t length, void *field,
                               struct parse_error *fault);

/*
 * Parses "ID" or "ID:INDEX.INDEX..." into a struct message_head: the head of messages of a schema
 * registry (Confluent, "Formats, Serializers, and Deserializers", "Wire format"). The first index
 * is the position of a message type in the registered .proto file; each further index is a position
 * inside that type.
 */
#define BROKER_KEYS_SCHEMA_SYNTAX "ID[:INDEX[.INDEX...]]"
bool broker_keys_parse_schema_id(const char *name, const char *text, size_t length, void *field,
                                 struct parse_error *fault);

/*
 * Parses a librdkafka property "NAME=VALUE" and appends it as a line to the field, a char * that
 * the caller frees. Refuses properties with secrets, because command lines are visible to other
 * users.
 */
bool broker_keys_parse_property(const char *name, const char *text, size_t length, void *field,
                                struct parse_error *fault);

#endif
