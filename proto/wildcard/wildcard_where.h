/*
 * The part of a message's path that the option `labels` distinguishes: messages of one type that
 * differ only in the rest of their paths have the same labels. Used while the plan is made.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_WHERE_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_WHERE_H

#include "proto/wildcard/wildcard_plan.h"

struct wildcard_where {
    struct text path; /* the end of the path; the whole path only if is_whole is set */
    bool is_whole;
};

/* Returns the place of the outermost message. */
struct wildcard_where wildcard_where_root(const struct wildcard_plan *plan);

/*
 * Makes the place of the messages in a field of a message at `from`, in the memory of the plan.
 * Returns false if memory is short.
 */
bool wildcard_where_inside(struct wildcard_plan *plan, const struct wildcard_where *from,
                           const struct wildcard_field *field, struct wildcard_where *to);

bool wildcard_where_equal(const struct wildcard_where *a, const struct wildcard_where *b);

/* Whether the field of a message there is this label; in an element with keys if `keyed` is set. */
bool wildcard_is_label_at(const struct wildcard_label_field *field,
                          const struct wildcard_where *where, bool keyed);

#endif
