/*
 * Writes and finds messages with a length prefix (varint), which protobuf's libraries read with
 * parseDelimitedFrom. Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_DELIMITED_H
#define SLUICE_SINKS_ENCODERS_DELIMITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Appends the length and the message of `size` bytes. */
void delimited_put(struct output *out, const void *message, size_t size);

/*
 * Implements the operation `whole` (collector/platform/output_file.h) for an encoder of such
 * messages, each of at most `longest` bytes.
 */
size_t delimited_whole(const uint8_t *data, size_t size, size_t longest, bool at_start,
                       bool *foreign);

#endif
