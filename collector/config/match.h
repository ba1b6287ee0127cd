/* Parses `match=` of a schema (collector/contract/schema_match.h). Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_MATCH_H
#define SLUICE_COLLECTOR_CONFIG_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/contract/schema_match.h"

/* Syntax for help texts. */
#define MATCH_SYNTAX "source:ADDR/BITS|magic:HEX|key:NAME"

/*
 * Parses all `length` bytes of "source:10.1.0.0/16", "source:2001:db8::1" (one sender),
 * "magic:0a1B" (1 to MATCH_MAGIC_MAX bytes) or "key:NAME" (1 to SENDER_NAME_MAX bytes). Returns
 * false with `fault` filled, its offset counted from the beginning of `text`.
 */
bool match_parse(const char *text, size_t length, struct schema_match *match,
                 struct parse_error *fault);

#endif
