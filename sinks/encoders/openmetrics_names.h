/*
 * Resolves conflicts between names of families in one file: two types with one name, and families
 * whose samples have the name of another family (`a_count`, a gauge, and the histogram `a`). Pure
 * functions on the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H

#include "sinks/encoders/openmetrics_order.h"

/* "counter", "gauge" and so on. */
const char *openmetrics_type_name(enum openmetrics_type type);

/*
 * Gives conflicting families of an ordered index a name of their own, with the type as a suffix,
 * and sorts the index again. If two types have one name, the type that comes first in enum
 * openmetrics_type keeps the name. Families that then still conflict are marked as omitted.
 */
void openmetrics_assign_names(struct openmetrics_index *index);

#endif
