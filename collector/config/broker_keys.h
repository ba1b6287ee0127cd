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

/* Syntax for help texts. */
#define BROKER_KEYS_KEY_SYNTAX    "none|source|series|label:NAME"
#define BROKER_KEYS_HEADER_SYNTAX "schema,listener,collector,number"

/* Field: struct key_options; the caller frees its label. */
bool broker_keys_parse_key(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault);

/* Comma-separated names. Field: unsigned, bits of enum message_header. */
bool broker_keys_parse_headers(const char *name, const char *text, size_t length, void *field,
                               struct parse_error *fault);

/*
 * A librdkafka property "NAME=VALUE". Field: char *, lines of properties to which it is appended;
 * the caller frees it. Properties with secrets are refused, because command lines are visible to
 * other users.
 */
bool broker_keys_parse_property(const char *name, const char *text, size_t length, void *field,
                                struct parse_error *fault);

#endif
