#include "collector/text/glob.h"

#include <string.h>

/* The data of an empty text may be NULL, and C forbids adding even 0 to NULL. */
static const char *begin_of(const struct text *text)
{
    return text->size != 0 ? text->data : "";
}

/*
 * After a mismatch only the last star is tried again, with one more byte. Earlier stars need no
 * second try: the part before the last star has matched as early as possible, and a later match
 * would leave less text for the rest. So the time is not exponential.
 */
bool glob_matches(const struct text *glob, const struct text *text, size_t *steps, size_t limit)
{
    const char *pattern = begin_of(glob), *pattern_end = pattern + glob->size;
    const char *at = begin_of(text), *end = at + text->size;
    const char *after_star = NULL, *retry = NULL;
    while (at != end) {
        if (++*steps > limit)
            return false;
        if (pattern != pattern_end && *pattern == '*') {
            after_star = ++pattern;
            retry = at;
            if (pattern == pattern_end)
                return true;
        } else if (pattern != pattern_end && (*pattern == '?' || *pattern == *at)) {
            pattern++;
            at++;
        } else if (after_star != NULL) {
            pattern = after_star;
            at = ++retry;
        } else {
            return false;
        }
    }
    while (pattern != pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

bool glob_is_one(const struct text *text)
{
    return text->size != 0 && (memchr(text->data, '*', text->size) != NULL ||
                               memchr(text->data, '?', text->size) != NULL);
}
