/*
 * Reads an answer of a control socket in the form {"WORD":"text"}, as to the requests report,
 * reload and stop (collector/control/control_service.h). A pure function.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/output.h"

/* The size of a buffer for the longest WORD, including the NUL. */
#define CONTROL_WHAT_SIZE 16

/*
 * Reads an answer of `size` bytes and appends its text to `text`, safe for a terminal: control
 * characters except newlines, and invalid UTF-8, become U+FFFD. Returns false if the answer does
 * not have this form, or `text` has no room.
 */
bool control_answer_read(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                         struct output *text);

#endif
