/*
 * Schemas for tests, built in or from a file, whose messages are text that says what becomes of
 * it. Each one made has a number, and one that was destroyed is poisoned: to use it then ends the
 * program. Counted in `fake_schemas`, which a test sets to zero.
 *
 * A message is any text; "!" is malformed, ">" is too deep, "*N" takes N bytes of the arena; each
 * '?' in it is an unknown field, each '~' a value that JSON has no form for; of "#N" N is its
 * sender's number, if there is `sequence`. Samples, if there is `value`: one, named by the text,
 * of the value of the schema's number, with a label "made" that has it once more as a text.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONTRACT_FAKE_SCHEMA_H
#define SLUICE_TESTS_SUPPORT_CONTRACT_FAKE_SCHEMA_H

#include <stdatomic.h>
#include <stdbool.h>

#include "collector/contract/schema.h"

struct fake_schemas {
    _Atomic int made;   /* so far: the number of the last one */
    _Atomic int living; /* made and not yet destroyed */
    _Atomic bool fail;  /* the next ones cannot be made */
    _Atomic bool bare;  /* the next ones have no samples */
};

extern struct fake_schemas fake_schemas;

/* Called while one is being made, NULL: nothing. */
extern void (*fake_schema_making)(void);

/* The first refuses an empty message, the second accepts it. */
extern const struct schema_ops fake_schema;
extern const struct schema_ops fake_schema_of_anything;

#endif
