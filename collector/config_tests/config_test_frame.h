/*
 * Frames the messages of a test for a datagram or a stream: the inverse of collector/framing/. Pure
 * except for allocations; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FRAME_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "collector/config_tests/growing_text.h"
#include "collector/contract/framing.h"

/* The framing of a message. */
struct config_test_frame {
    enum framing framing;
    size_t header;      /* number of zero bytes before the message */
    const char *schema; /* name of the schema, which selects the prefix of otlp-udp */
    uint32_t number;    /* message number, for framings with message numbers */
};

/* Appends the message with its framing. */
void config_test_frame_put(struct growing_text *out, const struct config_test_frame *frame,
                           const uint8_t *bytes, size_t size);

/* Appends the beginning of a stream: START for Frame Streams, no bytes for other framings. */
void config_test_frame_begin_stream(struct growing_text *out, enum framing framing);

#endif
