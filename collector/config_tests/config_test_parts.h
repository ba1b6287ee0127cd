/*
 * What the parts of the reader of a file of tests share: config_test_file_yaml.c calls
 * config_test_input_yaml.c and config_test_expectation_yaml.c, all of them config_test_parts.c,
 * which reads by collector/config/file_parts.h. Each returns false, or NULL, with the error filled.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/file_parts.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_keys.h"

/* Where each key of the map was given that is read; 0: not yet. */
struct config_test_given {
    size_t lines[CONFIG_TEST_KEYS];
};

/* Refuses the name, which is no key of this scope. Returns false. */
bool config_test_unknown_key(const struct file_reading *reading, enum config_test_scope scope,
                             const char *name, size_t length, struct provenance_mark mark);

/* The key that the last piece is, in a map of this scope. */
const struct config_test_key *config_test_read_key(const struct file_reading *reading,
                                                   enum config_test_scope scope,
                                                   struct config_test_given *given);

/* Takes the text that the last piece is. */
bool config_test_read_text(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to);

/* The same of one that says something. */
bool config_test_read_word(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to);

/* Adds an element, all zero, to the list at *list, of CONFIG_TEST_LIST_MAX elements at most. */
void *config_test_add_element(const struct file_reading *reading, void *list, size_t *count,
                              size_t size);

/* config_test_input_yaml.c: reads the inputs that the last piece begins, a map or a list of them.
 */
bool config_test_read_inputs(struct file_reading *reading, const struct config_test_key *key,
                             struct config_test *test);

/* config_test_expectation_yaml.c: reads the list that the last piece is to begin. */
bool config_test_read_expectations(struct file_reading *reading, const struct config_test_key *key,
                                   struct config_test *test);

#endif
