/* Parses the option nested=, and finds the text in a message that chooses the types. */
#include "proto/runtime/nested.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/wire.h"
#include "collector/text/text.h"

static bool nested_refuse(struct error *error, const char *text, const char *why)
{
    char given[QUOTED_SIZE];
    error_set(error, EXIT_CODE_CONFIG, "nested: %s %s", quoted(text, strlen(text), given), why);
    return false;
}

/* --- parsing ---------------------------------------------------------------------------------- */

/*
 * Ends the text at the first separator. Returns the text after it, without leading blanks (a line
 * break in a configuration file becomes a blank), or NULL if there is no separator.
 */
static char *cut(char *text, char separator)
{
    char *at = strchr(text, separator);
    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1 + strspn(at + 1, " ");
}

static const char *value_of(const char *part, const char *key)
{
    size_t length = strlen(key);
    return strncmp(part, key, length) == 0 && part[length] == '=' ? part + length + 1 : NULL;
}

static bool parse_by(struct nested *nested, const char *path, struct error *error)
{
    if (nested->by != NULL && strcmp(nested->by, path) != 0)
        return nested_refuse(error, path,
                             "is another choice than the one before; there can be one by=");
    nested->by = path;
    return true;
}

static struct nested_text *find_text(struct nested *nested, const char *text)
{
    for (size_t i = 0; i < nested->text_count; i++)
        if (strcmp(nested->texts[i].text, text) == 0)
            return &nested->texts[i];
    if (nested->text_count == NESTED_TEXTS)
        return NULL;
    struct nested_text *added = &nested->texts[nested->text_count++];
    added->text = text;
    return added;
}

/* Parses "TEXT=TYPE". The last equals sign counts: a text may contain some, but no type does. */
static bool parse_text(struct nested *nested, size_t field, char *part, struct error *error)
{
    char *equals = strrchr(part, '=');
    if (equals == NULL || equals == part || equals[1] == '\0')
        return nested_refuse(error, part, "is not TEXT=TYPE");
    *equals = '\0';
    struct nested_text *text = find_text(nested, part);
    if (text == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "nested: more than %zu texts", NESTED_TEXTS);
        return false;
    }
    if (text->types[field] != NULL)
        return nested_refuse(error, part, "is given twice");
    text->types[field] = equals + 1;
    return true;
}

static bool parse_types(struct nested *nested, size_t field, char *part, struct error *error)
{
    char *next = cut(part, ',');
    const char *type = value_of(part, "message");
    nested->fields[field].type = type;
    if (type != NULL && *type == '\0')
        return nested_refuse(error, nested->fields[field].path, "has no type after message=");
    if (type != NULL && next == NULL)
        return true;
    if (type != NULL) {
        part = next;
        next = cut(part, ',');
    }
    const char *path = value_of(part, "by");
    if (path == NULL)
        return nested_refuse(
            error, part, type == NULL ? "is neither message=TYPE nor by=PATH" : "is not by=PATH");
    if (next == NULL && type != NULL)
        return nested_refuse(error, part,
                             "needs TEXT=TYPE after it, for each text that has a type");
    if (next == NULL)
        nested->fields[field].by_package = nested->by_package = true;
    while (next != NULL) {
        part = next;
        next = cut(part, ',');
        if (!parse_text(nested, field, part, error))
            return false;
    }
    return parse_by(nested, path, error);
}

static bool parse_field(struct nested *nested, char *text, struct error *error)
{
    char *types = cut(text, ':');
    if (types == NULL)
        return nested_refuse(error, text, "has no type; write FIELD:message=TYPE");
    if (nested->field_count == NESTED_FIELDS) {
        error_set(error, EXIT_CODE_CONFIG, "nested: more than %zu fields", NESTED_FIELDS);
        return false;
    }
    size_t field = nested->field_count++;
    nested->fields[field].path = text;
    return parse_types(nested, field, types, error);
}

bool nested_parse(const char *option, struct nested *nested, struct error *error)
{
    *nested = (struct nested){0};
    if (option == NULL)
        return true;
    size_t size = strlen(option) + 1;
    nested->option = malloc(size);
    if (nested->option == NULL) {
        error_no_memory(error);
        return false;
    }
    memcpy(nested->option, option, size);
    for (char *field = nested->option, *next; field != NULL; field = next) {
        next = cut(field, ';');
        if (!parse_field(nested, field, error))
            return false;
    }
    if (!nested->by_package || nested->text_count == 0)
        return true;
    error_set(error, EXIT_CODE_CONFIG,
              "nested: by= has TEXT=TYPE after it in one field but not in another");
    return false;
}

void nested_clear(struct nested *nested)
{
    nested_packages_clear(&nested->packages);
    free(nested->option);
    *nested = (struct nested){0};
}

/* --- the text --------------------------------------------------------------------------------- */

bool nested_find_text(struct nested *nested, const struct message_type *type, struct error *error)
{
    struct field_path path;
    struct error reason;
    if (nested->by == NULL)
        return true;
    if (!field_path_parse(type, nested->by, strlen(nested->by), &path, &reason)) {
        error_set(error, reason.code, "nested: by: %s", reason.text);
        return false;
    }
    if (path.list_count != 0)
        return nested_refuse(error, nested->by,
                             "is reached through a repeated field, but a message has "
                             "one choice");
    if (field_path_last(&path)->kind != KIND_STRING)
        return nested_refuse(error, nested->by, "is not a string");
    for (size_t i = 0; i < path.count; i++) {
        const struct field_type *field = path.steps[i];
        if (field->kind == KIND_GROUP || (field->message != NULL && field->message->message_set))
            return nested_refuse(error, nested->by, "is reached through a group or a message set");
        nested->numbers[i] = field->number;
    }
    nested->number_count = path.count;
    return true;
}

/*
 * Skips a group, from after its start tag to after its end tag. Returns NULL if the end is missing.
 */
static const uint8_t *skip_group(const uint8_t *at, const uint8_t *end)
{
    for (size_t open = 1; open != 0;) {
        uint32_t tag;
        at = wire_read_tag(at, end, &tag);
        if (at == NULL)
            return NULL;
        switch (tag & 7) {
        case WIRE_GROUP_START:
            open++;
            break;
        case WIRE_GROUP_END:
            open--;
            break;
        default:
            at = wire_skip(at, end, tag & 7);
            if (at == NULL)
                return NULL;
        }
    }
    return at;
}

/*
 * Finds the text in a message. nested->numbers[step] is the field with the text, or leads to it. If
 * the text occurs several times, the last one counts. The recursion is as deep as the path is long.
 */
static void find_in(const struct nested *nested, size_t step, const uint8_t *at, const uint8_t *end,
                    struct text *text)
{
    while (at != NULL && at != end) {
        uint32_t tag;
        size_t length;
        at = wire_read_tag(at, end, &tag);
        if (at == NULL)
            return;
        if (tag == WIRE_TAG(nested->numbers[step], WIRE_LENGTH)) {
            at = wire_read_length(at, end, &length);
            if (at == NULL)
                return;
            if (step + 1 == nested->number_count)
                *text = (struct text){(const char *)at, length};
            else
                find_in(nested, step + 1, at, at + length, text);
            at += length;
        } else if ((tag & 7) == WIRE_GROUP_START) {
            at = skip_group(at, end);
        } else {
            at = wire_skip(at, end, tag & 7);
        }
    }
}

size_t nested_choose(const struct nested *nested, const uint8_t *data, size_t size)
{
    struct text found = {"", 0};
    if (nested->by == NULL)
        return 0;
    if (size != 0)
        find_in(nested, 0, data, data + size, &found);
    for (size_t i = 0; i < nested->text_count; i++) {
        const char *text = nested->texts[i].text;
        if (strlen(text) == found.size && memcmp(text, found.data, found.size) == 0)
            return i + 1;
    }
    size_t package = nested_packages_choose(&nested->packages, &found);
    return package == SIZE_MAX ? 0 : nested->text_count + 1 + package;
}
