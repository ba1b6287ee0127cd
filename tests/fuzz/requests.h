/*
 * Checks the requests that an encoder makes from its own records, or from arbitrary bytes, which a
 * damaged disk may return.
 *
 * A remote-write request is a snappy block with a message. Its two versions must have the same
 * content: series with sorted labels, and samples in the order of their times. The body of an OTLP
 * request must be the records' messages, one after the other.
 */
#ifndef SLUICE_TESTS_FUZZ_REQUESTS_H
#define SLUICE_TESTS_FUZZ_REQUESTS_H

#include "collector/contract/encoder.h"

/*
 * Makes a request from the bytes. `ours` means that the encoder wrote them, so this must succeed.
 * Returns the number of samples if it is a remote-write request, otherwise 0.
 */
size_t check_requests(const struct encoder_ops *ops, const char *bytes, size_t size, bool ours);

#endif
