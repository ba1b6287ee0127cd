/* Makes the version of a message type for a choice (nested.h): bytes fields become messages. */
#include <string.h>

#include "proto/runtime/nested.h"
#include "proto/types/type_change.h"

struct changing {
    struct type_set *set;
    const struct message_type *plain; /* without changes */
    const struct message_type *root;  /* with the first `made` changes */
    size_t made;
    struct type_change changes[2 * NESTED_FIELDS];
    size_t count;
};

static bool make_changes(struct changing *changing, struct error *error)
{
    if (changing->made == changing->count)
        return true;
    changing->root =
        type_set_change(changing->set, changing->plain, changing->changes, changing->count);
    changing->made = changing->count;
    if (changing->root == NULL)
        error_no_memory(error);
    return changing->root != NULL;
}

static bool parse(const struct changing *changing, const char *path, struct field_path *to,
                  struct error *error)
{
    return field_path_parse_option(changing->root, "nested", path, strlen(path), to, error);
}

/*
 * Finds the field at the end of `path`, which may be in a message that a change has added. Returns
 * 1, or 0 with `missing` filled if there is no such field, or -1 with `error` filled.
 */
static int nested_load_find(struct changing *changing, const char *path, struct field_path *to,
                            struct error *missing, struct error *error)
{
    if (parse(changing, path, to, missing))
        return 1;
    if (changing->made == changing->count)
        return 0;
    if (!make_changes(changing, error))
        return -1;
    return parse(changing, path, to, missing);
}

/* Returns the type of the messages with the field at the end of the path. */
static const struct message_type *holder_of(const struct changing *changing,
                                            const struct field_path *path)
{
    return path->count == 1 ? changing->root : path->steps[path->count - 2]->message;
}

static bool is_changed(const struct changing *changing, const struct type_change *given)
{
    for (size_t i = 0; i < changing->count; i++) {
        const struct type_change *change = &changing->changes[i];
        /* the versions of a type share the text of its name */
        if (change->message->descriptor->name == given->message->descriptor->name &&
            change->field->number == given->field->number)
            return true;
    }
    return false;
}

static bool add_change(struct changing *changing, const struct field_path *path,
                       const struct type_change *change, struct error *error)
{
    if (is_changed(changing, change))
        return field_path_refuse("nested", path, "is given twice", error);
    if (change->field->kind != KIND_BYTES)
        return field_path_refuse("nested", path, "is not a bytes field", error);
    changing->changes[changing->count++] = *change;
    return true;
}

/* Adds a change: the bytes field at the end of the path becomes a message of this type. */
static bool add_named(struct changing *changing, const struct field_path *path, const char *type,
                      const struct nested *nested, struct error *error)
{
    struct error reason;
    const struct type_change change = {
        .message = holder_of(changing, path),
        .field = field_path_last(path),
        .type = type_set_require(changing->set, type, &reason),
        .embedded = nested->by == NULL ? EMBEDDED_ALWAYS : EMBEDDED_CHOSEN,
    };
    if (change.type == NULL && change.field->kind == KIND_BYTES) {
        error_set(error, reason.code, "nested: %s", reason.text);
        return false;
    }
    return add_change(changing, path, &change, error);
}

/*
 * Finds the bytes fields "keys" and "content" of a row. Returns false if the message has another
 * form.
 */
static bool find_row(const struct message_type *row, const struct field_type **keys,
                     const struct field_type **content)
{
    *keys = row == NULL ? NULL : field_path_find(row, "keys", 4);
    *content = row == NULL ? NULL : field_path_find(row, "content", 7);
    return *keys != NULL && (*keys)->kind == KIND_BYTES && *content != NULL &&
           (*content)->kind == KIND_BYTES;
}

/*
 * Adds changes: the field at the end of the path contains the messages of a package. It is a row
 * (with the fields "keys" and "content") or a bytes field with only the content. `package` is NULL
 * if no package was chosen.
 */
static bool add_package(struct changing *changing, const struct field_path *path,
                        const struct nested_package *package, struct error *error)
{
    const struct field_type *last = field_path_last(path);
    const struct field_type *keys;
    const struct field_type *content;
    struct type_change change = {
        .message = holder_of(changing, path), .field = last, .embedded = EMBEDDED_CHOSEN};
    bool row = find_row(last->message, &keys, &content);
    if (!row && last->kind != KIND_BYTES)
        return field_path_refuse(
            "nested", path,
            "is neither a bytes field nor a message with the bytes fields \"keys\" "
            "and \"content\"",
            error);
    if (package == NULL)
        return true;
    if (row) {
        change.message = last->message;
        change.field = keys;
        change.type = package->keys;
        if (!add_change(changing, path, &change, error))
            return false;
        change.field = content;
    }
    change.type = package->content;
    return add_change(changing, path, &change, error);
}

/* Returns the field's message type for a choice; NULL if the field stays bytes. */
static const char *type_of(const struct nested *nested, size_t choice, size_t field)
{
    const char *type =
        choice == 0 || choice > nested->text_count ? NULL : nested->texts[choice - 1].types[field];
    return type != NULL ? type : nested->fields[field].type;
}

static bool change_field(struct changing *changing, const struct nested *nested, size_t choice,
                         size_t field, const struct field_path *path, struct error *error)
{
    if (nested->fields[field].by_package)
        return add_package(
            changing, path,
            choice == 0 ? NULL : &nested->packages.list[choice - nested->text_count - 1], error);
    const char *type = type_of(nested, choice, field);
    return type == NULL || add_named(changing, path, type, nested, error);
}

static bool change_all(struct changing *changing, const struct nested *nested, size_t choice,
                       struct nested_search *search, struct error *error)
{
    for (size_t i = 0; i < nested->field_count; i++) {
        struct field_path path;
        struct error missing;
        int result = nested_load_find(changing, nested->fields[i].path, &path, &missing, error);
        if (result < 0)
            return false;
        if (result == 0) {
            search->missing[i] = missing;
            continue;
        }
        search->found[i] = true;
        if (!change_field(changing, nested, choice, i, &path, error))
            return false;
    }
    return make_changes(changing, error);
}

int nested_load(const struct nested *nested, struct type_set *set, const struct message_type *root,
                size_t choice, struct nested_search *search, const struct message_type **out,
                struct error *error)
{
    struct changing changing = {.set = set, .plain = root, .root = root};
    if (!change_all(&changing, nested, choice, search, error))
        return -1;
    *out = changing.root;
    return 0;
}
