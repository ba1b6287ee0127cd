/*
 * Reads an answer of the control socket that says one thing: {"WHAT":"text"}, as to a report or an
 * order (collector/control/control_service.h). A pure function.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/output.h"

/* Bytes of the longest WHAT, with its end. */
#define CONTROL_WHAT_SIZE 16

/*
 * Reads `size` bytes. The text is appended to `text`, ready for a terminal: control characters but
 * newlines, and what is no UTF-8, become U+FFFD. Returns false for anything else than such an
 * answer, and where `text` has no room.
 */
bool control_answer_read(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                         struct output *text);

#endif
