/* Properties of lines for people, for any input (sinks/README.md, "text"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_TEXT_H
#define SLUICE_TESTS_FUZZ_READERS_TEXT_H

#include <stddef.h>

/* The error in the line, given without its newline; NULL: none. */
const char *text_wrong(const char *line, size_t size);

#endif
