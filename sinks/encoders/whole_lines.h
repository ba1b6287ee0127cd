/* Implements the operation `whole` of line formats. A pure function. */
#ifndef SLUICE_SINKS_ENCODERS_WHOLE_LINES_H
#define SLUICE_SINKS_ENCODERS_WHOLE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the size of the bytes up to the last newline, including the newline. Lines may have any
 * content (collector/platform/output_file.h), but a file that does not begin as text is foreign.
 */
size_t whole_lines(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

#endif
