/*
 * The known name that somebody probably meant by an unknown one.
 *
 * Begun with what was given, offered every known name, then asked. Holds pointers only; the given
 * text and the names must outlive it. Used by one thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_SUGGESTION_H
#define SLUICE_COLLECTOR_BASE_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>

struct suggestion {
    const char *given;
    size_t length;
    const char *close; /* the name with the fewest edits so far, if any is close */
    size_t edits;
    bool other;         /* it is the name by which another program calls `close` */
    const char *longer; /* a name that begins with what was given */
    size_t longer_count;
};

void suggestion_begin(struct suggestion *suggestion, const char *given, size_t length);
void suggestion_offer(struct suggestion *suggestion, const char *name);

/*
 * Offers a name by what other programs call the same thing: words of `others` (NULL: none),
 * separated by spaces. Only a whole word counts, with the same differences ignored as below.
 */
void suggestion_offer_others(struct suggestion *suggestion, const char *others, const char *name);

/*
 * The name that is one slip away (a letter too many, missing or wrong, or two swapped; upper and
 * lower case, '-' and '_' are the same); else the only one that begins with what was given; else
 * the one with the fewest edits, at most one in three letters; else NULL. Of equals, the one that
 * was offered first.
 */
const char *suggestion_found(const struct suggestion *suggestion);

/* Whether what was given differs from that name by one slip at most. */
bool suggestion_is_slip(const struct suggestion *suggestion);

#endif
