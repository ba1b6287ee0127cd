/* How lines of a format are recognised by their beginning, or by their end. Pure functions. */
#ifndef SLUICE_SINKS_ENCODERS_LINE_MARK_H
#define SLUICE_SINKS_ENCODERS_LINE_MARK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/platform/output_file.h"

/* A time as json_time has it, without its quotes. */
#define LINE_MARK_TIME "9999-99-99T99:99:99.999999999Z"

/*
 * OUTPUT_LINE_OWN for a line that begins with `mark`, in which each 9 is any digit;
 * OUTPUT_LINE_LIKELY for one that ends within it; OUTPUT_LINE_FOREIGN for any other.
 */
enum output_line line_mark(const uint8_t *bytes, size_t size, const char *mark);

/*
 * Of a line that can be of a format whose lines end with a space, a time in digits and a newline:
 * OUTPUT_LINE_OWN where it does, OUTPUT_LINE_LIKELY where its end is not among the bytes,
 * OUTPUT_LINE_FOREIGN where it ends otherwise.
 */
enum output_line line_mark_ends_with_time(const uint8_t *bytes, size_t size);

#endif
