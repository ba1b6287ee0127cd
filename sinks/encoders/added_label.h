/*
 * The value of a label that is added to samples, with what its fields stand for
 * (collector/text/label_template.h). The encoder's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_ADDED_LABEL_H
#define SLUICE_SINKS_ENCODERS_ADDED_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/arena.h"
#include "collector/contract/record.h"
#include "collector/text/text.h"

/*
 * The value for this record: itself where it has no fields, else a text in the arena, which has
 * taken *made bytes for it. Where it does not fit it is empty, and the arena is exhausted. `host`
 * is this machine's name.
 */
struct text added_label_value(const struct text *value, const struct record *record,
                              const struct text *host, struct arena *arena, size_t *made);

#endif
