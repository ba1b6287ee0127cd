/*
 * Names of families that conflict in one file: two types with one name, and families whose samples
 * have the name of another family (`a_count`, a gauge, and the histogram `a`). Pure functions on
 * the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H

#include "sinks/encoders/openmetrics_order.h"

/* "counter", "gauge" and so on. */
const char *openmetrics_type_name(enum openmetrics_type type);

/*
 * In an ordered index: gives conflicting families their own name, with the type as a suffix, and
 * sorts again. Of two types with one name the first in enum openmetrics_type keeps it. Families
 * that then still conflict are marked as omitted.
 */
void openmetrics_assign_names(struct openmetrics_index *index);

#endif
