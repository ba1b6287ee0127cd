/*
 * Appends text, and replaces some ASCII characters by a table of the format. U+0080 to U+009F are
 * replaced like U+007F. Each maximal ill-formed part of a UTF-8 sequence (Unicode 15, section 3.9)
 * becomes U+FFFD, as in JSON, so the output is valid UTF-8 for any input. Pure functions; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_ESCAPED_H
#define SLUICE_COLLECTOR_TEXT_ESCAPED_H

#include <stddef.h>

#include "collector/text/output.h"

#define REPLACEMENT_CHARACTER "\xef\xbf\xbd" /* U+FFFD */

/* The replacement of a character; size 0: it is not replaced. */
struct escape {
    char text[3];
    unsigned char size;
};

struct escapes {
    struct escape of[128]; /* indexed by character */
};

/*
 * Table entries for control characters, as Telegraf writes them. Those that end lines or words
 * become two characters. The others become U+FFFD, because few readers accept them.
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
