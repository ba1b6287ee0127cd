/*
 * Creates a built-in schema for a test, without options. Fails the running cmocka test on errors.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_SCHEMA_MADE_H
#define SLUICE_TESTS_SUPPORT_PROTO_SCHEMA_MADE_H

#include "collector/contract/schema.h"
#include "tests/support/test.h"

/* Returns a schema, which the caller frees with ops->destroy. */
static inline struct schema *schema_made(const struct schema_ops *ops)
{
    struct schema *schema = NULL;
    const struct schema_options options = {.source = ops->name};
    struct error error;
    if (ops->create(&options, &schema, &error) != 0)
        fail_msg("%s", error.text);
    return schema;
}

#endif
