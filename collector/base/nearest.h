/*
 * The known name that somebody probably meant by an unknown one.
 *
 * Begun with what was given, offered every known name, then asked. Holds pointers only; the given
 * text and the names must outlive it. Used by one thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_NEAREST_H
#define SLUICE_COLLECTOR_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

struct nearest {
    const char *given;
    size_t length;
    const char *close; /* the name with the fewest slips so far, if any is close */
    size_t slips;
    bool other;         /* it is the name by which another program calls `close` */
    const char *longer; /* a name that begins with what was given */
    size_t longer_count;
};

void nearest_begin(struct nearest *nearest, const char *given, size_t length);
void nearest_offer(struct nearest *nearest, const char *name);

/*
 * Offers a name by what other programs call the same thing: words of `others` (NULL: none),
 * separated by spaces. Only a whole word counts, with the same differences ignored as below.
 */
void nearest_offer_others(struct nearest *nearest, const char *others, const char *name);

/*
 * The name that is one slip away (a letter too many, missing or wrong, or two swapped; upper and
 * lower case, '-' and '_' are the same); else the only one that begins with what was given; else
 * the one with the fewest slips, at most one in three letters; else NULL. Of equals, the one that
 * was offered first.
 */
const char *nearest_found(const struct nearest *nearest);

/* Whether what was given differs from that name by one slip at most. */
bool nearest_is_slip(const struct nearest *nearest);

#endif
