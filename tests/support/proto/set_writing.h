/*
 * Writes descriptor sets field by field, so that a test can have sets that the installed protoc
 * does not write: editions, and invalid sets. A set is built in a struct wire. Call wire_end for
 * each begin_... function.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_SET_WRITING_H
#define SLUICE_TESTS_SUPPORT_PROTO_SET_WRITING_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/proto/wire.h"

enum { LABEL_OPTIONAL = 1, LABEL_REQUIRED = 2, LABEL_REPEATED = 3 };

#define EDITION_2023 1000

/* The features of an edition (FeatureSet of descriptor.proto). 0 means "not set". */
struct features_written {
    int presence; /* 1: explicit, 2: implicit, 3: required */
    int enums;    /* 1: open, 2: closed */
    int repeated; /* 1: packed, 2: expanded */
    int utf8;     /* 2: verified, 3: not verified */
    int message;  /* 1: length-prefixed, 2: delimited */
};

struct field_written {
    const char *name;
    int32_t number;
    int label;
    int type;              /* enum field_kind */
    const char *type_name; /* NULL if there is none */
    int oneof;             /* index of its oneof plus 1; 0 if not in a oneof */
    struct features_written features;
    const char *default_value; /* NULL: none */
};

/* Begins a file. `syntax` may be NULL, and `edition` may be 0. The set then has none. */
size_t begin_file(struct wire *set, const char *name, const char *package, const char *syntax,
                  int32_t edition);
void put_file_features(struct wire *set, struct features_written features);
void put_import(struct wire *set, const char *name);

/* begin_message begins a message in a file. begin_nested begins a message in a message. */
size_t begin_message(struct wire *set, const char *name);
size_t begin_nested(struct wire *set, const char *name);
void put_message_features(struct wire *set, struct features_written features);
void put_field(struct wire *set, struct field_written field);
void put_extension_range(struct wire *set, uint32_t start, uint32_t end);
void put_oneof(struct wire *set, const char *name);

/* Puts an extension into a file. `extendee` is a full name. */
void put_extension(struct wire *set, const char *extendee, struct field_written field);

/* Puts an enum into a file. Its values are A = 0, B = 1 and so on. */
void put_enum(struct wire *set, const char *name, unsigned values,
              struct features_written features);

#endif
