/*
 * Resolves conflicts between names of families in one file: two types with one name, or a family
 * whose samples have the name of another family (the histogram `a` and a gauge `a_count`). Pure
 * functions on the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H

#include "sinks/encoders/openmetrics_order.h"

/* Returns "counter", "gauge" and so on. */
const char *openmetrics_type_name(enum openmetrics_type type);

/*
 * Renames families of an ordered index that are in a conflict, by adding the type as a suffix, and
 * sorts the index again. If two types have one name, the one that is first in enum openmetrics_type
 * keeps it. Families that are still in a conflict are marked as omitted.
 */
void openmetrics_assign_names(struct openmetrics_index *index);

#endif
