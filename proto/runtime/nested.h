/*
 * Implements the option nested=, which names bytes fields that contain a message, and the types of
 * these messages.
 *
 * The type may depend on a text in the outer message, such as "encoding_path". Then a schema has a
 * version of the outer type for each listed text, and one for all other texts. A choice is the
 * index of a version. The text is read from the datagram's bytes before they are decoded, so that
 * decoding, JSON, paths and limits are the same as for any message. Constant once parsed; any
 * thread may use it.
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
    const char *type; /* type for unlisted texts; NULL if the field stays bytes */
    bool by_package;  /* its type is in the package that the text names (nested_package.h) */
};

struct nested_text {
    const char *text;
    const char *types[NESTED_FIELDS]; /* type of each field; NULL means as for unlisted texts */
};

struct nested {
    char *option; /* owned: the texts below point into it */
    struct nested_field fields[NESTED_FIELDS];
    size_t field_count; /* 0: no field contains a message */
    const char *by;     /* path of the text; NULL if no type depends on a text */
    struct nested_text texts[NESTED_TEXTS];
    size_t text_count;
    bool by_package;                 /* a field has by_package */
    struct nested_packages packages; /* with by_package, instead of listed texts */

    /* The path `by` as field numbers (nested_find_text). */
    uint32_t numbers[FIELD_PATH_STEPS];
    size_t number_count;
};

/*
 * Parses the option (NULL: none): one or more of "FIELD:message=TYPE",
 * "FIELD:by=PATH,TEXT=TYPE,...", "FIELD:message=TYPE,by=PATH,TEXT=TYPE,..." and "FIELD:by=PATH",
 * separated by semicolons. Blanks may follow a comma, a colon or a semicolon. Returns false with
 * `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if memory is short). Call nested_clear in
 * either case.
 */
bool nested_parse(const char *option, struct nested *nested, struct error *error);
void nested_clear(struct nested *nested);

/* Returns the number of choices. Choice 0 is for texts that are not listed. */
static inline size_t nested_choices(const struct nested *nested)
{
    return nested->text_count + nested->packages.count + 1;
}

/* Finds the field with the text in messages of this type. Returns false with `error` filled. */
bool nested_find_text(struct nested *nested, const struct message_type *type, struct error *error);

/*
 * Returns the choice for a message, by the text in its bytes. The choice is arbitrary if they are
 * invalid.
 */
size_t nested_choose(const struct nested *nested, const uint8_t *data, size_t size);

/*
 * For each field: `found` is true if the type of some choice has it; otherwise `missing` is the
 * reason.
 */
struct nested_search {
    bool found[NESTED_FIELDS];
    struct error missing[NESTED_FIELDS];
};

/*
 * Makes the version of the message type `root` for a choice; the set owns it. Notes in `search`
 * which fields were found. A field inside another bytes field is found if the outer field's type
 * has it. Returns 0, or -1 with `error` filled.
 */
int nested_load(const struct nested *nested, struct type_set *set, const struct message_type *root,
                size_t choice, struct nested_search *search, const struct message_type **out,
                struct error *error);

#endif
