/*
 * Appends text in which some characters of ASCII have another form, as a format says in a table.
 * The control characters beyond ASCII (U+0080 to U+009F) have the form that the table gives U+007F.
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

/*
 * For a table, what Telegraf has of control characters: two characters for those that end lines or
 * words; of the others, which few readers take, the replacement character.
 */
/* clang-format off */
#define ESCAPE_REPLACED {REPLACEMENT_CHARACTER, 3}
#define ESCAPE_4_REPLACED ESCAPE_REPLACED, ESCAPE_REPLACED, ESCAPE_REPLACED, ESCAPE_REPLACED
#define ESCAPES_OF_CONTROLS                                                                        \
    ESCAPE_4_REPLACED, ESCAPE_4_REPLACED,                                                          \
    ESCAPE_REPLACED, {"\\t", 2}, {"\\n", 2}, ESCAPE_REPLACED,                                      \
    {"\\f", 2}, {"\\r", 2}, ESCAPE_REPLACED, ESCAPE_REPLACED,                                      \
    ESCAPE_4_REPLACED, ESCAPE_4_REPLACED, ESCAPE_4_REPLACED, ESCAPE_4_REPLACED,                    \
    [0x7f] = ESCAPE_REPLACED
/* clang-format on */

void escaped_put(struct output *out, const char *text, size_t size, const struct escapes *escapes);

#endif
