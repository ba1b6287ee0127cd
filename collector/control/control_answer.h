/*
 * Reads a control socket's answer of the form {"WHAT":"text"}, such as that to report, reload or
 * stop (collector/control/control_service.h). A pure function.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/output.h"

/* Bytes of the longest WHAT, with its end. */
#define CONTROL_WHAT_SIZE 16

/*
 * Reads `size` bytes and appends the text to `text`, safe for a terminal: control characters except
 * newlines, and invalid UTF-8, become U+FFFD. Returns false if this is not such an answer, or
 * `text` has no room.
 */
bool control_answer_read(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                         struct output *text);

#endif
