/*
 * Encodes samples with an encoder that filters, renames or limits them as the keys of a sink's URL
 * say (collector/contract/sample_rules.h). Include after cmocka.h.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_RULED_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_RULED_ENCODING_H

#include "collector/config/config.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"

struct ruled {
    struct config config; /* owns the rules */
    struct encoding *encoding;
};

/* `keys` are the text after '?' in a sink's URL, with format= if the format is not json. */
struct ruled ruled_open(const struct schema_ops *schema, const char *keys);
void ruled_close(struct ruled *ruled);

/*
 * Encodes the builder's datagram, and empties the builder. Returns the first word of each line,
 * separated by spaces; of influx that is a name and its labels. The text is valid until the next
 * call.
 */
const char *ruled_heads(const char *keys, struct telemetry_builder *builder);

#endif
