/* What lines for people keep to, whatever was sent (sinks/README.md, "text"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_TEXT_H
#define SLUICE_TESTS_FUZZ_READERS_TEXT_H

#include <stddef.h>

/* What is wrong with the line, which is without its newline; NULL: nothing. */
const char *text_wrong(const char *line, size_t size);

#endif
