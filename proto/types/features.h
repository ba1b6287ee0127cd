/*
 * Determines the rules of protobuf's syntaxes and editions for fields and enums, as a set of
 * features (protobuf.dev, "Feature Settings for Editions"). proto2 and proto3 are treated as
 * editions with fixed features. Pure functions.
 */
#ifndef SLUICE_PROTO_TYPES_FEATURES_H
#define SLUICE_PROTO_TYPES_FEATURES_H

#include <stdbool.h>

#include "proto/generated/descriptor_set.pb-c.h"

struct features {
    bool required;  /* a field must be present (LEGACY_REQUIRED) */
    bool implicit;  /* a field has no explicit presence */
    bool closed;    /* an enum does not accept unknown values */
    bool packed;    /* repeated numbers are written packed */
    bool utf8;      /* strings are validated */
    bool delimited; /* a message field is a group */
};

/*
 * Sets the features that a file begins with. If its syntax or edition is not supported, uses those
 * of the newest supported edition, writes the name of the unsupported one to `buffer`, and returns
 * false.
 */
bool features_of_file(const Sluice__Descriptor__FileDescriptorProto *file,
                      struct features *features, char buffer[48]);

/* Applies the features that are set in `set`, which may be NULL. */
void features_apply(struct features *features, const Sluice__Descriptor__FeatureSet *set);

#endif
