/* Checks lines of the format text, for any input (sinks/README.md, "text"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_TEXT_H
#define SLUICE_TESTS_FUZZ_READERS_TEXT_H

#include <stddef.h>

/* Checks a line without its newline. Returns the error, or NULL if the line is valid. */
const char *text_wrong(const char *line, size_t size);

#endif
