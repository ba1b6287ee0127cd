/*
 * Functions that the parts of the reader of test files share: config_test_file_yaml.c calls
 * config_test_input_yaml.c and config_test_expectation_yaml.c; all three call config_test_parts.c,
 * which uses collector/config/file_parts.h. On failure each function returns false or NULL with the
 * error filled.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/file_parts.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_keys.h"

/* For each key, the line where the current map has it; 0 if the map does not have it. */
struct config_test_given {
    size_t lines[CONFIG_TEST_KEYS];
};

/* Reports an unknown key of this scope. Returns false. */
bool config_test_unknown_key(const struct file_reading *reading, enum config_test_scope scope,
                             const char *name, size_t length, struct provenance_mark mark);

/* Finds the key whose name was read last, in a map of this scope. */
const struct config_test_key *config_test_read_key(const struct file_reading *reading,
                                                   enum config_test_scope scope,
                                                   struct config_test_given *given);

/* Stores the YAML value that was read last; it must be a text. */
bool config_test_read_text(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to);

/* Stores the YAML value that was read last; it must be a non-empty text. */
bool config_test_read_word(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to);

/* Appends a zeroed element to the list at *list, of at most CONFIG_TEST_LIST_MAX elements. */
void *config_test_add_element(const struct file_reading *reading, void *list, size_t *count,
                              size_t size);

/*
 * Reads an input, or a list of inputs, whose first YAML event was read last. In
 * config_test_input_yaml.c.
 */
bool config_test_read_inputs(struct file_reading *reading, const struct config_test_key *key,
                             struct config_test *test);

/*
 * Reads a list of expectations, whose first YAML event was read last. In
 * config_test_expectation_yaml.c.
 */
bool config_test_read_expectations(struct file_reading *reading, const struct config_test_key *key,
                                   struct config_test *test);

#endif
