/*
 * What must hold of the requests that an encoder makes of what it has appended, or of any bytes,
 * which a disk may give back.
 *
 * Of remote write: a block of snappy, in it a message of each shape, and both say the same: series
 * with their labels in order, and samples in the order of their times. Of OTLP: its messages, one
 * after the other.
 */
#ifndef SLUICE_TESTS_FUZZ_REQUESTS_H
#define SLUICE_TESTS_FUZZ_REQUESTS_H

#include "collector/contract/encoder.h"

/* `ours`: the encoder has appended the bytes, and so makes a request of them. Returns the samples
 * of a request of remote write; 0 of others. */
size_t check_requests(const struct encoder_ops *ops, const char *bytes, size_t size, bool ours);

#endif
