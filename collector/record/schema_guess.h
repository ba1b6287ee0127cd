/*
 * Guesses the built-in schema of a message of which the configured schema does not know most
 * fields.
 *
 * The first call creates the schemas and the memory for decoding, and keeps them. Any thread may
 * call; a lock admits one call at a time.
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
 * Returns the name of the schema, other than `wrong`, that leaves the fewest fields of the message
 * unknown; among equals, the one that knows the most. Returns NULL if each schema refuses the
 * message or knows at most half of its fields, or if out of memory.
 */
const char *schema_guess_name(struct schema_guess *guess, const struct schema_ops *wrong,
                              const uint8_t *data, size_t size);

#endif
