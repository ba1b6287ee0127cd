/*
 * Bytes fields that contain a message: which fields they are, and the types of their messages.
 *
 * The type may depend on a text in the outer message, such as "encoding_path". Then a schema has a
 * version of the outer type for each listed text, and one for all other texts; each of these is a
 * choice. The text is read from a datagram's bytes before they are decoded, so decoding, JSON,
 * paths and limits are the same as for any message.
 *
 * Immutable once parsed; any thread may use it.
 */
#ifndef SLUICE_PROTO_RUNTIME_NESTED_H
#define SLUICE_PROTO_RUNTIME_NESTED_H

#include "collector/base/error.h"
#include "proto/runtime/field_path.h"
#include "proto/runtime/nested_package.h"
#include "proto/types/type_set.h"

#define NESTED_FIELDS ((size_t)8)
#define NESTED_TEXTS  ((size_t)64)

struct nested_field {
    const char *path;
    const char *type; /* type for texts that are not listed; NULL: the field stays bytes */
    bool by_package;  /* its type is in the package that the text names (nested_package.h) */
};

struct nested_text {
    const char *text;
    const char *types[NESTED_FIELDS]; /* type of each field; NULL: as for unlisted texts */
};

struct nested {
    char *option; /* owned: the texts below are parts of it */
    struct nested_field fields[NESTED_FIELDS];
    size_t field_count; /* 0: no field contains a message */
    const char *by;     /* path of the text; NULL: types do not depend on a text */
    struct nested_text texts[NESTED_TEXTS];
    size_t text_count;
    bool by_package;                 /* a field has by_package */
    struct nested_packages packages; /* only if by_package is set; texts are then not listed */

    /* The path `by` as field numbers, set by nested_find_text. */
    uint32_t numbers[FIELD_PATH_STEPS];
    size_t number_count;
};

/*
 * Parses one or more of the following, separated by semicolons (NULL: none): "FIELD:message=TYPE",
 * "FIELD:by=PATH,TEXT=TYPE,...", "FIELD:message=TYPE,by=PATH,TEXT=TYPE,..." or "FIELD:by=PATH".
 * Blanks may follow a comma, a colon or a semicolon. Returns false with `error` filled
 * (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if memory is short); call nested_clear in either case.
 */
bool nested_parse(const char *option, struct nested *nested, struct error *error);
void nested_clear(struct nested *nested);

/* Returns the number of choices. Choice 0 is for all texts that are not listed. */
static inline size_t nested_choices(const struct nested *nested)
{
    return nested->text_count + nested->packages.count + 1;
}

/* Finds the text's field in messages of this type. Returns false with `error` filled. */
bool nested_find_text(struct nested *nested, const struct message_type *type, struct error *error);

/*
 * Returns the choice for a message, by the text in its bytes; an arbitrary choice if the bytes are
 * invalid.
 */
size_t nested_choose(const struct nested *nested, const uint8_t *data, size_t size);

/*
 * For each field: whether it was found in the types of any choice so far, and the reason if it was
 * missing.
 */
struct nested_search {
    bool found[NESTED_FIELDS];
    struct error missing[NESTED_FIELDS];
};

/*
 * Makes the version of the message type `root`, of the set, for a choice; the set owns it. Records
 * in `search` which fields were found: a field inside another bytes field is found if the type
 * given to the outer field contains it. Returns 0, or -1 with `error` filled.
 */
int nested_load(const struct nested *nested, struct type_set *set, const struct message_type *root,
                size_t choice, struct nested_search *search, const struct message_type **out,
                struct error *error);

#endif
