/*
 * Names of families that do not fit beside each other in one file: those of two types with one
 * name, and those whose samples are called as another family's are (`a_count`, a gauge, beside the
 * histogram `a`). Pure functions on memory of the caller's.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_NAMES_H

#include "sinks/encoders/openmetrics_order.h"

/* "counter", "gauge" and so on. */
const char *openmetrics_type_name(enum openmetrics_type type);

/*
 * Of an ordered index: gives what does not fit a name of its own, with its type after it, and
 * orders anew. Of two types with one name that which comes first in enum openmetrics_type keeps it.
 * What then does not fit either is marked as left out.
 */
void openmetrics_assign_names(struct openmetrics_index *index);

#endif
