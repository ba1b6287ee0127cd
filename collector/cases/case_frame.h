/*
 * A message as it stands in a datagram or in a stream: the other side of collector/framing/, for
 * messages that a test gives. Pure but for memory; any thread.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_FRAME_H
#define SLUICE_COLLECTOR_CASES_CASE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "collector/cases/growing_text.h"
#include "collector/contract/framing.h"

/* Where a message of a schema goes. */
struct case_frame {
    enum framing framing;
    size_t header;      /* bytes in front of it, which are zero */
    const char *schema; /* the schema's name: what follows the head of otlp-udp depends on it */
    uint32_t number;    /* of the message, where a framing counts them */
};

/* Appends the message. */
void case_frame_put(struct growing_text *out, const struct case_frame *frame, const uint8_t *bytes,
                    size_t size);

/* Appends what a stream begins with: of frame streams START, of others nothing. */
void case_frame_begin_stream(struct growing_text *out, enum framing framing);

#endif
