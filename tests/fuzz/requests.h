/*
 * Properties of the requests that an encoder makes of its appended records, or of arbitrary bytes,
 * which a disk may return.
 *
 * Remote write: a block of snappy that contains a message of each version, both with the same
 * content: series with their labels in order, and samples in the order of their times. OTLP: its
 * messages, one after the other.
 */
#ifndef SLUICE_TESTS_FUZZ_REQUESTS_H
#define SLUICE_TESTS_FUZZ_REQUESTS_H

#include "collector/contract/encoder.h"

/*
 * `ours`: the encoder appended these bytes, so it must make a request of them. Returns the samples
 * of a request of remote write; 0 of others.
 */
size_t check_requests(const struct encoder_ops *ops, const char *bytes, size_t size, bool ours);

#endif
