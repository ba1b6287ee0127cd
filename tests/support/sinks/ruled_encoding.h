/*
 * Encodes samples with an encoder that filters, renames or limits them, according to the keys of a
 * sink's URL (collector/contract/sample_rules.h). Include after cmocka.h.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_RULED_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_RULED_ENCODING_H

#include "collector/config/config.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"

struct ruled {
    struct config config; /* owns the rules that the encoder uses */
    struct encoding *encoding;
};

/*
 * Opens an encoder. `keys` is the text after '?' in a sink's URL. It has format= unless the format
 * is json.
 */
struct ruled ruled_open(const struct schema_ops *schema, const char *keys);
void ruled_close(struct ruled *ruled);

/*
 * Encodes the builder's datagram, and empties the builder. Returns the first word of each line,
 * separated by spaces. In the format influx this word is a name with its labels. The next call
 * overwrites the text.
 */
const char *ruled_heads(const char *keys, struct telemetry_builder *builder);

#endif
