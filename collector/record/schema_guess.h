/*
 * Guesses which built-in schema a message has, when the one that decoded it does not know most of
 * its fields.
 *
 * The first call creates the schemas and the memory to decode in, and keeps them. Any thread may
 * call; calls wait for each other.
 */
#ifndef SLUICE_COLLECTOR_RECORD_SCHEMA_GUESS_H
#define SLUICE_COLLECTOR_RECORD_SCHEMA_GUESS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"

struct schema_guess;

/* `known` ends with NULL and must outlive the guess. Returns NULL if out of memory. */
struct schema_guess *schema_guess_create(const struct schema_ops *const *known);

/* NULL is allowed. */
void schema_guess_destroy(struct schema_guess *guess);

/*
 * The name of the schema, other than `wrong`, that knows the most fields of the message. Returns
 * NULL if each schema refuses the message or knows at most half of its fields, or if out of memory.
 */
const char *schema_guess_name(struct schema_guess *guess, const struct schema_ops *wrong,
                              const uint8_t *data, size_t size);

#endif
