/*
 * Finds the known name that a user probably meant by an unknown name.
 *
 * Begin with the given text, offer every known name, then call suggestion_found. The struct holds
 * only pointers: the given text and the names must outlive it. Used by one thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_SUGGESTION_H
#define SLUICE_COLLECTOR_BASE_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>

struct suggestion {
    const char *given;
    size_t length;
    const char *close; /* the name with the fewest edits so far, or NULL */
    size_t edits;
    bool other;         /* true: `close` was found by a word that other programs use for it */
    const char *longer; /* a name that begins with the given text */
    size_t longer_count;
};

void suggestion_begin(struct suggestion *suggestion, const char *given, size_t length);
void suggestion_offer(struct suggestion *suggestion, const char *name);

/*
 * Suggests `name` if the given text is one of `others`: words that other programs use instead of
 * `name`, separated by spaces; may be NULL. Only whole words match. Case, and '-' or '_', make no
 * difference.
 */
void suggestion_offer_others(struct suggestion *suggestion, const char *others, const char *name);

/*
 * Returns the name that was probably meant, or NULL. Tries these rules in order: a name that is one
 * slip away (a letter too many, missing or wrong, or two letters swapped); the only name that
 * begins with the given text; the name with the fewest edits, at most one edit for each three
 * letters. Case, and '-' or '_', make no difference. If several names are equally good, returns the
 * one offered first.
 */
const char *suggestion_found(const struct suggestion *suggestion);

/*
 * Returns true if the given text differs from the found name by at most one slip, and is not
 * another program's name for it.
 */
bool suggestion_is_slip(const struct suggestion *suggestion);

#endif
