/*
 * Makes the value of an added label (add_label=) by expanding its fields
 * (collector/text/label_template.h). Only for the encoder's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_ADDED_LABEL_H
#define SLUICE_SINKS_ENCODERS_ADDED_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/arena.h"
#include "collector/contract/record.h"
#include "collector/text/text.h"

/*
 * Returns the value for the record. If `value` has no fields, that is `value` itself; otherwise a
 * text of *made bytes in the arena. If the text does not fit, it is empty and the arena is
 * exhausted. `host` is this machine's name.
 */
struct text added_label_value(const struct text *value, const struct record *record,
                              const struct text *host, struct arena *arena, size_t *made);

#endif
