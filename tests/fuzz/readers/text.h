/* Checks lines of the format text, for any input (sinks/README.md, "text"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_TEXT_H
#define SLUICE_TESTS_FUZZ_READERS_TEXT_H

#include <stddef.h>

/* Returns the error in the line, which is given without its newline, or NULL. */
const char *text_wrong(const char *line, size_t size);

#endif
