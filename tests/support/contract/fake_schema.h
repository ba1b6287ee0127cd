/*
 * Schemas for tests, built in or from a file. The text of a message chooses the outcome of its
 * decoding. Each schema has a number; a destroyed one is poisoned, and its use ends the program.
 * They are counted in `fake_schemas`, which a test sets to zero.
 *
 * A message is any text. "!" is malformed, ">" is too deep, and "*N" takes N bytes of the arena.
 * Each '?' is an unknown field, and each '~' a value without a JSON form. In "#N", N is the
 * sender's number, if `sequence` is set. If `value` is set, a message has one sample: its name is
 * the text, its value the schema's number, and its label "made" has the number as a text.
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
