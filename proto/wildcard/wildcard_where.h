/*
 * The part of a message's path that makes a difference to the option `labels`. Messages of one type
 * that differ only in the rest of their paths have the same labels. Used while the plan is made.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_WHERE_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_WHERE_H

#include "proto/wildcard/wildcard_plan.h"

struct wildcard_where {
    struct text path; /* the end of the path or, if is_whole, the full path */
    bool is_whole;
};

/* Returns the place of the outermost message. */
struct wildcard_where wildcard_where_root(const struct wildcard_plan *plan);

/*
 * Makes the place of the messages in a field of a message at `from`, in the plan's memory. Returns
 * false if memory is short.
 */
bool wildcard_where_inside(struct wildcard_plan *plan, const struct wildcard_where *from,
                           const struct wildcard_field *field, struct wildcard_where *to);

bool wildcard_where_equal(const struct wildcard_where *a, const struct wildcard_where *b);

/*
 * Returns true if the field of a message at this place is this label. `keyed` is true if the
 * element has keys.
 */
bool wildcard_is_label_at(const struct wildcard_label_field *field,
                          const struct wildcard_where *where, bool keyed);

#endif
