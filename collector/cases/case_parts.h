/*
 * What the parts of the reader of a file of tests share: case_file_yaml.c calls
 * case_input_yaml.c and case_expectation_yaml.c, all of them case_parts.c, which reads by
 * collector/config/file_parts.h. Each returns false, or NULL, with the error filled.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_PARTS_H
#define SLUICE_COLLECTOR_CASES_CASE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/cases/case_keys.h"
#include "collector/cases/test_case.h"
#include "collector/config/file_parts.h"

/* Where each key of the map was given that is read; 0: not yet. */
struct case_given {
    size_t lines[CASE_KEYS];
};

/* Refuses the name, which is no key of this scope. Returns false. */
bool case_unknown_key(const struct file_reading *reading, enum case_scope scope, const char *name,
                      size_t length, struct provenance_mark mark);

/* The key that the last piece is, in a map of this scope. */
const struct case_key *case_take_key(const struct file_reading *reading, enum case_scope scope,
                                     struct case_given *given);

/* Takes the text that the last piece is. */
bool case_take_text(const struct file_reading *reading, const struct case_key *key,
                    struct case_text *to);

/* The same of one that says something. */
bool case_take_word(const struct file_reading *reading, const struct case_key *key,
                    struct case_text *to);

/* Adds an element, all zero, to the list at *list, of CASE_LIST_MAX elements at most. */
void *case_add_element(const struct file_reading *reading, void *list, size_t *count, size_t size);

/* case_input_yaml.c: reads the inputs that the last piece begins, a map or a list of them. */
bool case_read_inputs(struct file_reading *reading, const struct case_key *key,
                      struct test_case *test);

/* case_expectation_yaml.c: reads the list that the last piece is to begin. */
bool case_read_expectations(struct file_reading *reading, const struct case_key *key,
                            struct test_case *test);

#endif
