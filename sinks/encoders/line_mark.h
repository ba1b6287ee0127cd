/* Recognises lines of a format by their beginning or their end. Pure functions. */
#ifndef SLUICE_SINKS_ENCODERS_LINE_MARK_H
#define SLUICE_SINKS_ENCODERS_LINE_MARK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/platform/output_file.h"

/* A time as json_time writes it, without its quotes. */
#define LINE_MARK_TIME "9999-99-99T99:99:99.999999999Z"

/*
 * Compares the beginning of a line with `mark`, in which each 9 matches any digit. Returns
 * OUTPUT_LINE_OWN if it matches, OUTPUT_LINE_LIKELY if the bytes end within the mark, and otherwise
 * OUTPUT_LINE_FOREIGN.
 */
enum output_line line_mark(const uint8_t *bytes, size_t size, const char *mark);

/*
 * Examines the end of a line for a format whose lines end with a space, a time in digits and a
 * newline. Returns OUTPUT_LINE_OWN if the line ends so, OUTPUT_LINE_LIKELY if its end is not among
 * the bytes, and otherwise OUTPUT_LINE_FOREIGN.
 */
enum output_line line_mark_ends_with_time(const uint8_t *bytes, size_t size);

#endif
