/*
 * What protobuf's syntaxes and editions decide about fields and enums, as one set of features
 * (protobuf.dev, "Feature Settings for Editions"): proto2 and proto3 are editions whose features
 * are fixed. Pure functions.
 */
#ifndef SLUICE_PROTO_TYPES_FEATURES_H
#define SLUICE_PROTO_TYPES_FEATURES_H

#include <stdbool.h>

#include "proto/generated/descriptor_set.pb-c.h"

struct features {
    bool required;  /* a field must be there (LEGACY_REQUIRED) */
    bool implicit;  /* a field has no presence of its own */
    bool closed;    /* an enum keeps out what it does not know */
    bool packed;    /* repeated numbers go out packed */
    bool utf8;      /* strings are checked */
    bool delimited; /* a message field is a group */
};

/*
 * The features that a file begins with. Returns false where its syntax or edition is not known, and
 * then sets *unknown to a name of it: one of `buffer`'s 48 bytes or a literal.
 */
bool features_of_file(const Sluice__Descriptor__FileDescriptorProto *file,
                      struct features *features, char buffer[48]);

/* Changes what `set` sets. NULL sets nothing. */
void features_apply(struct features *features, const Sluice__Descriptor__FeatureSet *set);

#endif
