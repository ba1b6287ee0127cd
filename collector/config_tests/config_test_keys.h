/*
 * The table of the keys of tests. Parsing, suggestions and the help text are driven by its rows.
 * Constant; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_KEYS_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_KEYS_H

#include <stddef.h>
#include <stdio.h>

/* The maps in which a key is allowed. */
enum config_test_scope {
    CONFIG_TEST_OF_FILE,
    CONFIG_TEST_OF_TEST,
    CONFIG_TEST_OF_INPUT,
    CONFIG_TEST_OF_EXPECTATION
};

enum config_test_key_id {
    CONFIG_TEST_KEY_CONFIG,
    CONFIG_TEST_KEY_TESTS,
    CONFIG_TEST_KEY_NAME,
    CONFIG_TEST_KEY_LISTENER,
    CONFIG_TEST_KEY_HOSTNAME,
    CONFIG_TEST_KEY_INPUT,
    CONFIG_TEST_KEY_EXPECT,
    CONFIG_TEST_KEY_JSON,
    CONFIG_TEST_KEY_HEX,
    CONFIG_TEST_KEY_BASE64,
    CONFIG_TEST_KEY_CAPTURE,
    CONFIG_TEST_KEY_SCHEMA,
    CONFIG_TEST_KEY_SOURCE,
    CONFIG_TEST_KEY_TIME,
    CONFIG_TEST_KEY_SINK,
    CONFIG_TEST_KEY_LINES,
    CONFIG_TEST_KEY_LIKE,
    CONFIG_TEST_KEY_BYTES,
    CONFIG_TEST_KEY_REASON,
    CONFIG_TEST_KEY_REFUSED,
    CONFIG_TEST_KEY_COUNT_OF,
    CONFIG_TEST_KEYS /* number of keys */
};

struct config_test_key {
    const char *name; /* NULL ends the table */
    enum config_test_key_id id;
    enum config_test_scope scope;
    const char *help; /* one line, begins in lower case, no full stop */
};

extern const struct config_test_key config_test_keys[];

/* Returns the name of a scope for messages: "a test". */
const char *config_test_scope_name(enum config_test_scope scope);

/* Returns the key of that name in this scope, or NULL. */
const struct config_test_key *config_test_key_named(enum config_test_scope scope, const char *name,
                                                    size_t length);

/* Prints all keys with their help. */
void config_test_keys_print(FILE *to);

#endif
