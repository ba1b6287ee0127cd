/*
 * Shared by tests of an encoder of samples: a datagram of telemetry or of any wire, which
 * goes through the encoder. Include after cmocka.h.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_SAMPLE_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_SAMPLE_ENCODING_H

#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/proto/wire.h"
#include "tests/support/sinks/encoding.h"

/* The datagrams that a test builds: empty after the setup and after each assertion below. */
extern struct telemetry_builder builder;
extern struct wire wire;

/* For cmocka's setup: *state is an encoding of this schema by this encoder. And its teardown. */
int open_samples(void **state, const struct schema_ops *schema, const struct encoder_ops *encoder);
int close_encoding(void **state);

/* The datagram is written as expected; at every capacity whole, or as an overflow. */
void assert_builder_gives(struct encoding *encoding, const char *expected);
void assert_wire_gives(struct encoding *encoding, const char *expected);

#endif
