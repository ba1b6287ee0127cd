/*
 * The settings of one schema of a listener. Strings are NULL if not given. The code that fills the
 * struct owns them.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SCHEMA_CONFIG_H
#define SLUICE_COLLECTOR_CONTRACT_SCHEMA_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/framing.h"
#include "collector/contract/schema_match.h"

struct schema_ops;

struct schema_config {
    const struct schema_ops *ops;
    bool from_file;
    char *source; /* a built-in schema's name, or the file */

    /* Only for a schema from a file; see struct schema_options. */
    char *message;
    char *nested;
    char *sequence, *sequence_key;
    char *name, *value, *time, *labels;
    bool text_samples;     /* texts=info */
    bool value_is_default; /* `value` is "*" because a sink needs samples and no value was given */

    /* Selects the datagrams that the schema decodes, and finds its messages in them. */
    struct schema_match match;
    enum framing framing;
    uint64_t header; /* bytes to skip before the messages */
};

#endif
