/*
 * Writes the samples of a message as lines of JSON, with the names, values, kinds, times and labels
 * that sinks write.
 */
#ifndef SLUICE_TOOLS_DECODE_SAMPLES_H
#define SLUICE_TOOLS_DECODE_SAMPLES_H

#include "tools/decode/message_memory.h"

/*
 * Writes one line for each sample to memory->text, and replaces the earlier content. A sample
 * without a time in the message has no "time". The schema must have samples. Returns like
 * message_memory_decode.
 */
int samples_write(struct message_memory *memory, const struct schema *schema, const void *message,
                  struct error *error);

#endif
