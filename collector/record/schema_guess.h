/*
 * Which of the built-in schemas a message is of, when the one that decoded it does not know most of
 * its fields.
 *
 * The schemas and the room to decode in are made at the first question and kept. Any thread may
 * ask; questions wait for each other.
 */
#ifndef SLUICE_COLLECTOR_RECORD_SCHEMA_GUESS_H
#define SLUICE_COLLECTOR_RECORD_SCHEMA_GUESS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"

struct schema_guess;

/* `known` is a table with NULL at its end, which outlives the guess. NULL: memory is short. */
struct schema_guess *schema_guess_create(const struct schema_ops *const *known);

/* NULL is allowed. */
void schema_guess_destroy(struct schema_guess *guess);

/*
 * The name of the schema, other than `wrong`, that knows the most of the message's fields. NULL:
 * each refuses the message or knows no more than half of its fields; or memory is short.
 */
const char *schema_guess_name(struct schema_guess *guess, const struct schema_ops *wrong,
                              const uint8_t *data, size_t size);

#endif
