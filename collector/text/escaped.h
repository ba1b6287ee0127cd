/*
 * Appends text in which some characters of ASCII have another form, as a format says in a table.
 * What is not UTF-8 becomes U+FFFD, so what is written is valid UTF-8 for any input: each maximal
 * ill-formed part of a sequence (Unicode 15, section 3.9), as in JSON. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_ESCAPED_H
#define SLUICE_COLLECTOR_TEXT_ESCAPED_H

#include <stddef.h>

#include "collector/text/output.h"

#define REPLACEMENT_CHARACTER "\xef\xbf\xbd" /* U+FFFD */

/* What stands for a character; size 0: itself. */
struct escape {
    char text[3];
    unsigned char size;
};

struct escapes {
    struct escape of[128]; /* by character */
};

void escaped_put(struct output *out, const char *text, size_t size, const struct escapes *escapes);

#endif
