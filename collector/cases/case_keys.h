/*
 * The keys of tests of a configuration: a row each. What reads them, suggestions and the help text
 * come from the rows. Constant; any thread.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_KEYS_H
#define SLUICE_COLLECTOR_CASES_CASE_KEYS_H

#include <stddef.h>
#include <stdio.h>

/* Where a key may stand. */
enum case_scope { CASE_OF_FILE, CASE_OF_TEST, CASE_OF_INPUT, CASE_OF_EXPECTATION };

enum case_key_id {
    CASE_KEY_CONFIG,
    CASE_KEY_TESTS,
    CASE_KEY_NAME,
    CASE_KEY_LISTENER,
    CASE_KEY_HOSTNAME,
    CASE_KEY_INPUT,
    CASE_KEY_EXPECT,
    CASE_KEY_JSON,
    CASE_KEY_HEX,
    CASE_KEY_BASE64,
    CASE_KEY_CAPTURE,
    CASE_KEY_SCHEMA,
    CASE_KEY_SOURCE,
    CASE_KEY_TIME,
    CASE_KEY_SINK,
    CASE_KEY_LINES,
    CASE_KEY_LIKE,
    CASE_KEY_BYTES,
    CASE_KEY_REASON,
    CASE_KEY_REFUSED,
    CASE_KEY_COUNT_OF,
    CASE_KEYS /* how many there are */
};

struct case_key {
    const char *name; /* NULL ends the table */
    enum case_key_id id;
    enum case_scope scope;
    const char *help; /* one line, begins in lower case, no full stop */
};

extern const struct case_key case_keys[];

/* What a scope is called, for people: "a test". */
const char *case_scope_name(enum case_scope scope);

/* The key that is called so in this scope, or NULL. */
const struct case_key *case_key_named(enum case_scope scope, const char *name, size_t length);

/* Prints all keys with their help. */
void case_keys_print(FILE *to);

#endif
