/*
 * Schemas for tests, built in or from a file. The text of a message selects the result of its
 * decoding. Each schema has a number. A destroyed schema is poisoned: its use ends the program.
 * `fake_schemas` counts the schemas; a test sets it to zero.
 *
 * A message is any text. "!" is malformed, ">" is too deep, and "*N" takes N bytes of the arena.
 * Each '?' is an unknown field, and each '~' a value without a JSON form. In "#N", N is the
 * sender's sequence number, if the option `sequence` is set. If the option `value` is set, a
 * message has one sample: its name is the text, its value is the schema's number, and its label
 * "made" has the same number as a text.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONTRACT_FAKE_SCHEMA_H
#define SLUICE_TESTS_SUPPORT_CONTRACT_FAKE_SCHEMA_H

#include <stdatomic.h>
#include <stdbool.h>

#include "collector/contract/schema.h"

struct fake_schemas {
    _Atomic int made;   /* schemas made so far; the last one has this number */
    _Atomic int living; /* schemas made and not yet destroyed */
    _Atomic bool fail;  /* if set, making a schema fails */
    _Atomic bool bare;  /* if set, new schemas have no samples */
};

extern struct fake_schemas fake_schemas;

/* If not NULL, this function is called while a schema is made. */
extern void (*fake_schema_making)(void);

/* fake_schema refuses an empty message, fake_schema_of_anything accepts it. */
extern const struct schema_ops fake_schema;
extern const struct schema_ops fake_schema_of_anything;

#endif
