/*
 * What a user wrote of one schema of a listener, as plain values: which schema, how its samples are
 * read, which datagrams it is for, and where its messages stand in them. Texts are NULL where
 * they are not given, and belong to whoever fills the structure.
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

    /* Of a schema from a file, as in struct schema_options. */
    char *message;
    char *nested;
    char *sequence, *sequence_key;
    char *name, *value, *time, *labels;

    /* Which datagrams it is for, and where its messages stand in them. */
    struct schema_match match;
    enum framing framing;
    uint64_t header; /* bytes in front of them, skipped */
};

#endif
