/* Recognises lines of a format by their beginning or their end. Pure functions. */
#ifndef SLUICE_SINKS_ENCODERS_LINE_MARK_H
#define SLUICE_SINKS_ENCODERS_LINE_MARK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/platform/output_file.h"

/* A time by json_time, without its quotes. */
#define LINE_MARK_TIME "9999-99-99T99:99:99.999999999Z"

/*
 * Returns OUTPUT_LINE_OWN for a line that begins with `mark`, in which each 9 matches any digit;
 * OUTPUT_LINE_LIKELY for a line that ends within the mark; OUTPUT_LINE_FOREIGN for any other line.
 */
enum output_line line_mark(const uint8_t *bytes, size_t size, const char *mark);

/*
 * Examines a line for a format whose lines end with a space, a time in digits and a newline.
 * Returns OUTPUT_LINE_OWN if the line ends so, OUTPUT_LINE_LIKELY if its end is not among the
 * bytes, OUTPUT_LINE_FOREIGN if it ends otherwise.
 */
enum output_line line_mark_ends_with_time(const uint8_t *bytes, size_t size);

#endif
