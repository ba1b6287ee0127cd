/*
 * A message as it stands in a datagram or in a stream: the other side of collector/framing/, for
 * messages that a test gives. Pure but for memory; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FRAME_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "collector/config_tests/growing_text.h"
#include "collector/contract/framing.h"

/* Where a message of a schema goes. */
struct config_test_frame {
    enum framing framing;
    size_t header;      /* bytes in front of it, which are zero */
    const char *schema; /* the schema's name: what follows the head of otlp-udp depends on it */
    uint32_t number;    /* of the message, where a framing counts them */
};

/* Appends the message. */
void config_test_frame_put(struct growing_text *out, const struct config_test_frame *frame,
                           const uint8_t *bytes, size_t size);

/* Appends what a stream begins with: of frame streams START, of others nothing. */
void config_test_frame_begin_stream(struct growing_text *out, enum framing framing);

#endif
