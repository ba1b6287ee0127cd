#include "proto/types/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EDITION_2023 1000

/* The values of the enums of FeatureSet; in each, 0 is "unset". */
enum { PRESENCE_EXPLICIT = 1, PRESENCE_IMPLICITLY, PRESENCE_LEGACY_REQUIRED };
enum { ENUM_OPEN = 1, ENUM_CLOSED };
enum { ENCODING_PACKED = 1, ENCODING_EXPANDED };
enum { UTF8_VERIFY = 2, UTF8_NONE };
enum { MESSAGE_LENGTH_PREFIXED = 1, MESSAGE_DELIMITED };

static bool is(const ProtobufCBinaryData *text, const char *expected)
{
    return text->len == strlen(expected) && memcmp(text->data, expected, text->len) == 0;
}

bool features_of_file(const Sluice__Descriptor__FileDescriptorProto *file,
                      struct features *features, char buffer[48])
{
    if (!file->has_syntax || is(&file->syntax, "") || is(&file->syntax, "proto2")) {
        *features = (struct features){.closed = true};
    } else if (is(&file->syntax, "proto3")) {
        *features = (struct features){.implicit = true, .packed = true, .utf8 = true};
    } else if (!is(&file->syntax, "editions")) {
        snprintf(buffer, 48, "syntax \"%.*s\"",
                 (int)(file->syntax.len < 24 ? file->syntax.len : 24),
                 (const char *)file->syntax.data);
        return false;
    } else if (file->edition == EDITION_2023) {
        *features = (struct features){.packed = true, .utf8 = true};
    } else if (file->edition > EDITION_2023 && file->edition <= EDITION_2023 + 100) {
        snprintf(buffer, 48, "edition %" PRId32, file->edition - EDITION_2023 + 2023);
        return false;
    } else {
        snprintf(buffer, 48, "edition number %" PRId32, file->edition);
        return false;
    }
    if (file->options != NULL)
        features_apply(features, file->options->features);
    return true;
}

void features_apply(struct features *features, const Sluice__Descriptor__FeatureSet *set)
{
    if (set == NULL)
        return;
    if (set->field_presence != 0) {
        features->implicit = set->field_presence == PRESENCE_IMPLICITLY;
        features->required = set->field_presence == PRESENCE_LEGACY_REQUIRED;
    }
    if (set->enum_type != 0)
        features->closed = set->enum_type == ENUM_CLOSED;
    if (set->repeated_field_encoding != 0)
        features->packed = set->repeated_field_encoding == ENCODING_PACKED;
    if (set->utf8_validation != 0)
        features->utf8 = set->utf8_validation == UTF8_VERIFY;
    if (set->message_encoding != 0)
        features->delimited = set->message_encoding == MESSAGE_DELIMITED;
}
