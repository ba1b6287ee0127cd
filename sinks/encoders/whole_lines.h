/* The `whole` operation that formats of lines share. A pure function. */
#ifndef SLUICE_SINKS_ENCODERS_WHOLE_LINES_H
#define SLUICE_SINKS_ENCODERS_WHOLE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Everything up to and including the last newline; a line may hold anything
 * (collector/platform/output_file.h), but what does not begin as text is foreign.
 */
size_t whole_lines(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

#endif
