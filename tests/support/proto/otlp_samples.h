/*
 * Builds OTLP requests with one data point and reads the resulting sample, for tests of the schema
 * otlp.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_OTLP_SAMPLES_H
#define SLUICE_TESTS_SUPPORT_PROTO_OTLP_SAMPLES_H

#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/test.h"

#define TIME  UINT64_C(1700000000123456789)
#define START UINT64_C(1700000000000000000)

/* A cmocka setup like those of decoding.h. */
static inline int open_otlp(void **state)
{
    return decoding_set_up_schema(state, &schema_otlp);
}

/* Puts a metric of this kind with one data point, whose fields `put` writes. */
static inline void put_metric(uint32_t data, const char *name, void (*put)(void))
{
    struct otlp_metric metric = otlp_metric_begin(&wire, data, name);
    size_t point = wire_begin(&wire, OTLP_POINTS);
    put();
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
}

static inline void put_nothing(void)
{
}

static inline void assert_text(struct text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

/* Decodes `wire`, which must have exactly one sample, and returns it. */
static inline struct sample only_sample(struct decoding *decoding)
{
    struct schema_cursor cursor = {0};
    struct sample sample;
    struct sample more;
    assert_decodes_to(decoding, &wire, DECODE_OK);
    const struct schema_ops *ops = decoding->schema->ops;
    assert_true(ops->next_sample(decoding->schema, decoding->message, &cursor, &sample));
    assert_false(ops->next_sample(decoding->schema, decoding->message, &cursor, &more));
    return sample;
}

#endif
