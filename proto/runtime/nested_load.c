/* Gives message types to bytes fields, for a choice. */
#include <string.h>

#include "proto/runtime/nested.h"
#include "proto/types/type_change.h"

/* The type that is being made. */
struct changing {
    struct type_set *set;
    const struct message_type *plain; /* the type without changes */
    const struct message_type *root;  /* the type with the first `made` changes */
    size_t made;
    struct type_change changes[NESTED_FIELDS];
    size_t count;
};

/* Makes the type with all changes so far. */
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
 * Finds the field at the end of `path`, which may be in a message that a change adds.
 * Returns 1; or 0 with `missing` filled if the field does not exist; or -1 with `error` filled.
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

/* Returns the type of the messages that have the field at the end of the path. */
static const struct message_type *holder_of(const struct changing *changing,
                                            const struct field_path *path)
{
    return path->count == 1 ? changing->root : path->steps[path->count - 2]->message;
}

static bool is_changed(const struct changing *changing, const struct type_change *given)
{
    for (size_t i = 0; i < changing->count; i++) {
        const struct type_change *change = &changing->changes[i];
        /* versions of a type share its name's text */
        if (change->message->descriptor->name == given->message->descriptor->name &&
            change->field->number == given->field->number)
            return true;
    }
    return false;
}

/* Adds the change that the field at the end of the path contains a message of this type. */
static bool add_change(struct changing *changing, const struct field_path *path, const char *type,
                       struct error *error)
{
    struct error reason;
    const struct type_change change = {
        .message = holder_of(changing, path),
        .field = field_path_last(path),
        .type = type_set_require(changing->set, type, &reason),
    };
    if (is_changed(changing, &change))
        return field_path_refuse("nested", path, "is given twice", error);
    if (change.field->kind != KIND_BYTES)
        return field_path_refuse("nested", path, "is not a bytes field", error);
    if (change.type == NULL) {
        error_set(error, reason.code, "nested: %s", reason.text);
        return false;
    }
    changing->changes[changing->count++] = change;
    return true;
}

/* Returns the message type of the field for a choice; NULL: the field stays bytes. */
static const char *type_of(const struct nested *nested, size_t choice, size_t field)
{
    const char *type = choice == 0 ? NULL : nested->texts[choice - 1].types[field];
    return type != NULL ? type : nested->fields[field].type;
}

static bool change_all(struct changing *changing, const struct nested *nested, size_t choice,
                       struct nested_search *search, struct error *error)
{
    for (size_t i = 0; i < nested->field_count; i++) {
        struct field_path path;
        const char *type = type_of(nested, choice, i);
        struct error missing;
        int result = nested_load_find(changing, nested->fields[i].path, &path, &missing, error);
        if (result < 0)
            return false;
        if (result == 0) {
            search->missing[i] = missing;
            continue;
        }
        search->found[i] = true;
        if (type != NULL && !add_change(changing, &path, type, error))
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
