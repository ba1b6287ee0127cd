/*
 * Tests encoders of samples. A test builds a datagram with `builder`, or field by field with
 * `wire`. The assertions compare the encoder's output. Include after cmocka.h.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_SAMPLE_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_SAMPLE_ENCODING_H

#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/proto/wire.h"
#include "tests/support/sinks/encoding.h"

/* The datagrams that the test builds. The setup and each assertion below empty them. */
extern struct telemetry_builder builder;
extern struct wire wire;

/*
 * For cmocka setups and teardowns. open_samples sets *state to an encoding of this schema by this
 * encoder, and close_encoding frees it.
 */
int open_samples(void **state, const struct schema_ops *schema, const struct encoder_ops *encoder);
int close_encoding(void **state);

/*
 * Assert that the datagram is encoded as `expected`. Also encode it with every capacity: the output
 * must be complete, or the encoder must report an overflow.
 */
void assert_builder_gives(struct encoding *encoding, const char *expected);
void assert_wire_gives(struct encoding *encoding, const char *expected);

#endif
