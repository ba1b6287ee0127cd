

#include "tests/support/sinks/sample_encoding.h"

#include "tests/support/test.h"

struct telemetry_builder builder;
struct wire wire;

int open_samples(void **state, const struct schema_ops *schema, const struct encoder_ops *encoder)
{
    static const struct encoder_options options = {.view = VIEW_AUTO};
    *state = encoding_create(schema, encoder, &options);
    telemetry_begin(&builder);
    wire_clear(&wire);
    return 0;
}

int close_encoding(void **state)
{
    encoding_free(*state);
    return 0;
}

void assert_builder_gives(struct encoding *encoding, const char *expected)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    assert_string_equal(encoding_write(encoding), expected);
    encoding_assert_whole_or_overflow(encoding);
    telemetry_begin(&builder);
}

void assert_wire_gives(struct encoding *encoding, const char *expected)
{
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    assert_string_equal(encoding_write(encoding), expected);
    encoding_assert_whole_or_overflow(encoding);
    wire_clear(&wire);
}
