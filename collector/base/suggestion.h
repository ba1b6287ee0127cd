/*
 * Finds the known name that a user probably meant by an unknown one.
 *
 * Begin with the given text, offer every known name, then call suggestion_found. Holds only
 * pointers; the given text and the names must outlive it. Used by one thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_SUGGESTION_H
#define SLUICE_COLLECTOR_BASE_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>

struct suggestion {
    const char *given;
    size_t length;
    const char *close; /* the name with the fewest edits so far; NULL: none is close */
    size_t edits;
    bool other;         /* the given text is another program's name for `close` */
    const char *longer; /* a name that begins with the given text */
    size_t longer_count;
};

void suggestion_begin(struct suggestion *suggestion, const char *given, size_t length);
void suggestion_offer(struct suggestion *suggestion, const char *name);

/*
 * Offers `name` for the words that other programs use for it: `others` (NULL: none), separated by
 * spaces. Only a whole word counts, ignoring the same differences as below.
 */
void suggestion_offer_others(struct suggestion *suggestion, const char *others, const char *name);

/*
 * The name that is one slip away (a letter too many, missing or wrong, or two swapped; case, and
 * '-' and '_', are ignored); else the only name that begins with the given text; else the one with
 * the fewest edits, at most one in three letters; else NULL. Among equals the one offered first.
 */
const char *suggestion_found(const struct suggestion *suggestion);

/* Whether the given text differs from that name by at most one slip. */
bool suggestion_is_slip(const struct suggestion *suggestion);

#endif
