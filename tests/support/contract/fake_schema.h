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
    _Atomic int made;   /* schemas made so far, which is also the number of the last one */
    _Atomic int living; /* schemas made and not yet destroyed */
    _Atomic bool fail;  /* making a schema fails */
    _Atomic bool bare;  /* schemas that are made have no samples */
};

extern struct fake_schemas fake_schemas;

/* Called during the making of a schema, unless it is NULL. */
extern void (*fake_schema_making)(void);

/* fake_schema refuses an empty message, fake_schema_of_anything accepts it. */
extern const struct schema_ops fake_schema;
extern const struct schema_ops fake_schema_of_anything;

#endif
