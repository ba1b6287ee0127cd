/* Loads the types of a file, with the message types that a choice gives to bytes fields. */
#include <string.h>

#include "proto/runtime/nested.h"

struct changing {
    const struct descriptor_file *file;
    const struct type_set *plain;
    const char *root;
    struct type_set *set; /* types with the first `loaded` changes; NULL: not loaded yet */
    size_t loaded;

    /* The texts in the changes belong to the plain set and to the option. */
    struct field_change changes[NESTED_FIELDS];
    size_t count;
};

/* Loads the set with all changes so far, unless that set is loaded already. */
static int load(struct changing *changing, struct error *error)
{
    if (changing->set != NULL && changing->loaded == changing->count)
        return 0;
    type_set_destroy(changing->set);
    changing->set = NULL;
    changing->loaded = changing->count;
    return descriptor_file_types(changing->file, changing->changes, changing->count, &changing->set,
                                 error);
}

static bool parse(const struct changing *changing, const char *path, struct field_path *to,
                  struct error *error)
{
    const struct type_set *set = changing->set != NULL ? changing->set : changing->plain;
    const struct message_type *root = type_set_find(set, changing->root, strlen(changing->root));
    return field_path_parse_option(root, "nested", path, strlen(path), to, error);
}

/*
 * Finds the field at the end of `path`. If it is missing in the loaded set, and changes were added
 * since that set was loaded, loads the set again and searches again. Returns 1; or 0 with `missing`
 * filled if the field does not exist; or -1 with `error` filled.
 */
static int nested_load_find(struct changing *changing, const char *path, struct field_path *to,
                            struct error *missing, struct error *error)
{
    if (parse(changing, path, to, missing))
        return 1;
    if (changing->loaded == changing->count)
        return 0;
    if (load(changing, error) != 0)
        return -1;
    return parse(changing, path, to, missing);
}

/* Adds the change that the field at the end of the path contains a message of this type. */
static bool add_change(struct changing *changing, const struct field_path *path, const char *type,
                       struct error *error)
{
    struct error reason;
    const char *holder =
        path->count == 1 ? changing->root : path->steps[path->count - 2]->message->descriptor->name;
    const struct message_type *plain = type_set_find(changing->plain, holder, strlen(holder));
    const struct field_type *field = message_type_find(plain, field_path_last(path)->number);
    const struct field_change change = {
        .message = plain->descriptor->name, .field = field->descriptor->name, .type = type};
    if (field->kind != KIND_BYTES)
        return field_path_refuse("nested", path, "is not a bytes field", error);
    for (size_t i = 0; i < changing->count; i++)
        if (changing->changes[i].message == change.message &&
            changing->changes[i].field == change.field)
            return field_path_refuse("nested", path, "is given twice", error);
    if (type_set_require(changing->plain, type, &reason) == NULL) {
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
    return load(changing, error) == 0;
}

int nested_load(const struct nested *nested, const struct descriptor_file *file,
                const struct type_set *plain, const char *root, size_t choice,
                struct nested_search *search, struct type_set **out, struct error *error)
{
    struct changing changing = {.file = file, .plain = plain, .root = root};
    if (!change_all(&changing, nested, choice, search, error)) {
        type_set_destroy(changing.set);
        return -1;
    }
    *out = changing.set;
    return 0;
}
