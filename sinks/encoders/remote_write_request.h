/*
 * Makes one Prometheus remote-write request from the samples of a block, in snappy's block format.
 * It has each series once, with its samples in order. Of several samples of a series in one
 * millisecond it has the last.
 *
 * The functions are operations of struct encoder_request (collector/contract/encoder.h). The
 * samples have the form of sinks/encoders/remote_write_sample.h.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_REQUEST_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/output.h"

enum remote_write_shape {
    REMOTE_WRITE_1, /* prometheus.WriteRequest */
    REMOTE_WRITE_2, /* io.prometheus.write.v2.Request */
};

size_t remote_write_scratch(size_t size);
size_t remote_write_bound(size_t size);
bool remote_write_request(size_t shape, const char *bytes, size_t size, void *scratch,
                          struct output *out);

#endif
