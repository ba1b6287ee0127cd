/*
 * Writes the samples of a message as lines of JSON, with the same names, values, kinds, times and
 * labels as sinks.
 */
#ifndef SLUICE_TOOLS_DECODE_SAMPLES_H
#define SLUICE_TOOLS_DECODE_SAMPLES_H

#include "tools/decode/message_memory.h"

/*
 * Writes one line for each sample to memory->text, and replaces what was there. A sample without a
 * time in the message has no "time". The schema must have samples. Returns as message_memory_decode
 * does.
 */
int samples_write(struct message_memory *memory, const struct schema *schema, const void *message,
                  struct error *error);

#endif
