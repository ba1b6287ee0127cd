/*
 * An encoder for tests of what several sinks encode together, and batches for it.
 *
 * A record's payload becomes one line. Of "-" there is none, and "!" fits no room. There is one
 * count of records and one hook for all such encoders.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_LINE_ENCODER_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_LINE_ENCODER_H

#include <stddef.h>

#include "collector/contract/encoder.h"
#include "collector/record/batch.h"

extern const struct encoder_ops line_encoder;

/* Calls of encode since the last reset, which also takes the hook away; any thread. */
size_t line_encoder_calls(void);
void line_encoder_reset(void);

/* Called at the beginning of each encode. */
void line_encoder_set_hook(void (*hook)(void *context), void *context);

struct encoder *line_encoder_create(void);

/* A batch of one reader with `count` records of this payload. */
struct batch *line_batch_make(struct batch_pool *pool, const char *payload, size_t count);

/* Appends so many to it. */
void line_batch_add(struct batch *batch, const char *payload, size_t count);

#endif
