/*
 * Bytes fields that contain a message: the fields, and their types.
 *
 * The type may depend on a text of the message, the choice, such as "encoding_path". Then a schema
 * has a set of types for each text, with the fields' types for it, and one set for all other texts.
 * A datagram's text is read from its bytes before they are decoded, so decoding, JSON, paths and
 * limits are the same as for any message.
 *
 * Immutable once parsed; any thread may use it.
 */
#ifndef SLUICE_PROTO_RUNTIME_NESTED_H
#define SLUICE_PROTO_RUNTIME_NESTED_H

#include "collector/base/error.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/runtime/field_path.h"

#define NESTED_FIELDS ((size_t)8)
#define NESTED_TEXTS  ((size_t)64)

struct nested_field {
    const char *path;
    const char *type; /* for texts that are not listed; NULL: they stay bytes */
};

struct nested_text {
    const char *text;
    const char *types[NESTED_FIELDS]; /* of each field; NULL: the same as for other texts */
};

struct nested {
    char *option; /* owned: the texts below are parts of it */
    struct nested_field fields[NESTED_FIELDS];
    size_t field_count; /* 0: there are none */
    const char *by;     /* path of the text; NULL: there is no choice */
    struct nested_text texts[NESTED_TEXTS];
    size_t text_count;

    /* The path as field numbers, set by nested_find_text. */
    uint32_t numbers[FIELD_PATH_STEPS];
    size_t number_count;
};

/*
 * Parses "FIELD:message=TYPE", "FIELD:by=PATH,TEXT=TYPE,..." or "FIELD:message=TYPE,by=PATH,
 * TEXT=TYPE,...", several of them separated by semicolons (NULL: none). Blanks may follow a comma,
 * a colon or a semicolon. Returns false with `error` filled (EXIT_CODE_CONFIG, or
 * EXIT_CODE_INTERNAL if memory is short); call nested_clear in either case.
 */
bool nested_parse(const char *option, struct nested *nested, struct error *error);
void nested_clear(struct nested *nested);

/* Number of choices: 0 is the choice for all texts that are not listed. */
static inline size_t nested_choices(const struct nested *nested)
{
    return nested->text_count + 1;
}

/* Finds the position of the text in messages of this type. Returns false with `error` filled. */
bool nested_find_text(struct nested *nested, const struct message_type *type, struct error *error);

/* The choice of a message, by the text in its bytes; any choice if the bytes are invalid. */
size_t nested_choose(const struct nested *nested, const uint8_t *data, size_t size);

/* The fields found in the types of some choice, and the reason for a missing one. */
struct nested_search {
    bool found[NESTED_FIELDS];
    struct error missing[NESTED_FIELDS];
};

/*
 * Loads the types of the file for a choice, for messages of the type `root`, and records in
 * `search` which fields were found; `plain` are the types without changes. A field inside another
 * one is found if that one has a type that contains it. Returns 0, or -1 with `error` filled.
 */
int nested_load(const struct nested *nested, const struct descriptor_file *file,
                const struct type_set *plain, const char *root, size_t choice,
                struct nested_search *search, struct type_set **out, struct error *error);

#endif
