#include "proto/types/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Edition 2024 has no new rules for the wire format or JSON: its features concern names
 * (enforce_naming_style) and what other files may use (default_symbol_visibility).
 */
enum { EDITION_2023 = 1000, EDITION_2024 = 1001 };

/* Editions in descriptor.proto whose rules do not exist yet. */
static const struct {
    int32_t number;
    const char *name;
} later_editions[] = {{1002, "2026"}, {9999, "UNSTABLE"}};

/* The values of the enums in FeatureSet. 0 means "unset" in each of them. */
enum { PRESENCE_EXPLICIT = 1, PRESENCE_IMPLICITLY, PRESENCE_LEGACY_REQUIRED };
enum { ENUM_OPEN = 1, ENUM_CLOSED };
enum { ENCODING_PACKED = 1, ENCODING_EXPANDED };
enum { UTF8_VERIFY = 2, UTF8_NONE };
enum { MESSAGE_LENGTH_PREFIXED = 1, MESSAGE_DELIMITED };

static bool is(const ProtobufCBinaryData *text, const char *expected)
{
    return text->len == strlen(expected) && memcmp(text->data, expected, text->len) == 0;
}

static void name_edition(int32_t number, char buffer[48])
{
    for (size_t i = 0; i < sizeof later_editions / sizeof later_editions[0]; i++)
        if (later_editions[i].number == number) {
            snprintf(buffer, 48, "edition %s", later_editions[i].name);
            return;
        }
    snprintf(buffer, 48, "edition number %" PRId32, number);
}

bool features_of_file(const Sluice__Descriptor__FileDescriptorProto *file,
                      struct features *features, char buffer[48])
{
    bool known = true;
    if (!file->has_syntax || is(&file->syntax, "") || is(&file->syntax, "proto2")) {
        *features = (struct features){.closed = true};
    } else if (is(&file->syntax, "proto3")) {
        *features = (struct features){.implicit = true, .packed = true, .utf8 = true};
    } else {
        *features = (struct features){.packed = true, .utf8 = true};
        known = is(&file->syntax, "editions") &&
                (file->edition == EDITION_2023 || file->edition == EDITION_2024);
        if (!is(&file->syntax, "editions"))
            snprintf(buffer, 48, "syntax \"%.*s\"",
                     (int)(file->syntax.len < 24 ? file->syntax.len : 24),
                     (const char *)file->syntax.data);
        else if (!known)
            name_edition(file->edition, buffer);
    }
    if (file->options != NULL)
        features_apply(features, file->options->features);
    return known;
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
