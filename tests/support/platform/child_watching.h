/* Writes to a struct child in a test, and waits for its states. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_CHILD_WATCHING_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_CHILD_WATCHING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/child.h"

/* A cmocka setup and teardown. *state is a child that was created but not started. */
int child_set_up(void **state);
int child_tear_down(void **state);

void start(struct child *child, const char *command);

/* Writes the text. Asserts that the child accepts all of it or nothing. */
enum write_result write_text(struct child *child, const char *text);

/* Waits until the child has this state. Fails the test if it ends with another one. */
void wait_until(struct child *child, enum child_state state, struct child_end *end);
void wait_until_unread(struct child *child, size_t size);

void assert_ends(struct child *child, bool killed, int number);

#endif
