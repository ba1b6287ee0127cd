/*
 * Reads the keys of a sink that are about message brokers (collector/contract/broker_options.h).
 * Pure; any thread. Each parser is a setting_parser (setting.h).
 */
#ifndef SLUICE_COLLECTOR_CONFIG_BROKER_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_BROKER_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/contract/broker_options.h"

/* How they are written, for a person. */
#define BROKER_KEYS_KEY_SYNTAX    "none|source|series|label:NAME"
#define BROKER_KEYS_HEADER_SYNTAX "schema,listener,collector,number"

/* Into struct key_options, whose label is to be freed. */
bool broker_keys_parse_key(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault);

/* Names apart by commas, into an unsigned of bits (enum message_header). */
bool broker_keys_parse_headers(const char *name, const char *text, size_t length, void *field,
                               struct parse_error *fault);

/*
 * A property of librdkafka, "NAME=VALUE", which is appended to a char * of such lines, to be freed.
 * The names of secrets are refused: a command line is no place for them.
 */
bool broker_keys_parse_property(const char *name, const char *text, size_t length, void *field,
                                struct parse_error *fault);

#endif
