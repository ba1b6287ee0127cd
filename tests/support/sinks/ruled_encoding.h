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

/* `keys` is the text after '?' in a sink's URL. It contains format= if the format is not json. */
struct ruled ruled_open(const struct schema_ops *schema, const char *keys);
void ruled_close(struct ruled *ruled);

/*
 * Encodes the builder's datagram, and empties the builder. Returns the first word of each line,
 * separated by spaces; in the format influx that word is a name with its labels. The text is valid
 * until the next call.
 */
const char *ruled_heads(const char *keys, struct telemetry_builder *builder);

#endif
