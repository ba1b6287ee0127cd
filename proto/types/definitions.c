/* Lists the definitions in a descriptor set (messages, enums, extensions) by their full names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/types/loader.h"

/* The context of a definition: its package, and the name and features of the enclosing scope. */
struct place {
    const char *package;
    const char *file;          /* of the .proto file */
    const char *prefix;        /* "package.Outer." or "" */
    const char *not_supported; /* why the file's types cannot be used, or NULL */
    struct features features;
};

/* The most bytes of a full name. Each definition has its own copy, with the prefix. */
#define NAME_MAX_SIZE 1024

/* --- names ------------------------------------------------------------------------------------ */

static bool is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Accepts a digit at the beginning of a name: protoc names the entry of a map "_1" "1Entry". */
bool loader_is_name(ProtobufCBinaryData text, bool dots)
{
    bool first = true;
    for (size_t i = 0; i < text.len; i++) {
        char c = (char)text.data[i];
        bool between = c == '.' && dots && !first;
        if (!between && !is_part(c))
            return false;
        first = between;
    }
    return !first;
}

/* Returns the prefix followed by the name; on failure, NULL with the error filled. */
static char *full_name(struct loader *loader, const char *prefix, ProtobufCBinaryData name)
{
    if (!loader_is_name(name, false)) {
        loader_refuse(loader, "a name in \"%s\" is not a valid name", prefix);
        return NULL;
    }
    size_t before = strlen(prefix);
    if (before + name.len > NAME_MAX_SIZE) {
        loader_refuse(loader, "a name in it has more than %d bytes", NAME_MAX_SIZE);
        return NULL;
    }
    char *full = growing_arena_allocate(&loader->set->memory, before + name.len + 1, 1);
    if (full == NULL) {
        loader_no_memory(loader);
        return NULL;
    }
    memcpy(full, prefix, before);
    memcpy(full + before, name.data, name.len);
    return full;
}

static char *prefix_of(struct loader *loader, const char *name)
{
    size_t length = strlen(name);
    char *prefix = growing_arena_allocate(&loader->set->memory, length + 2, 1);
    if (prefix == NULL) {
        loader_no_memory(loader);
        return NULL;
    }
    memcpy(prefix, name, length);
    if (length != 0)
        prefix[length] = '.';
    return prefix;
}

/* --- listing ---------------------------------------------------------------------------------- */

static bool add_enum(struct loader *loader, const struct place *place, const Enum *from)
{
    struct enum_definition *added = growing_arena_allocate(&loader->set->memory, 1, sizeof *added);
    if (added == NULL)
        return loader_no_memory(loader);
    struct features features = place->features;
    if (from->options != NULL)
        features_apply(&features, from->options->features);
    added->from = from;
    added->package = place->package;
    added->closed = features.closed;
    added->not_supported = place->not_supported;
    added->name = full_name(loader, place->prefix, from->name);
    added->next = loader->enums;
    loader->enums = added;
    loader->set->enum_count++;
    return added->name != NULL;
}

static bool add_extension(struct loader *loader, const struct place *place, const Field *from)
{
    struct field_source *added = growing_arena_allocate(&loader->set->memory, 1, sizeof *added);
    if (added == NULL)
        return loader_no_memory(loader);
    added->from = from;
    added->scope = place->features;
    added->scope.implicit = false; /* an extension always has explicit presence */
    added->extension = true;
    added->order = ++loader->extension_count;
    added->not_supported = place->not_supported;
    added->name = full_name(loader, place->prefix, from->name);
    added->next = loader->extensions;
    loader->extensions = added;
    return added->name != NULL;
}

/*
 * Lists a message and the definitions in it. The recursion is as deep as they are nested, which the
 * decoder has limited.
 */
static bool add_message(struct loader *loader, const struct place *place, const Message *from)
{
    struct message_definition *added =
        growing_arena_allocate(&loader->set->memory, 1, sizeof *added);
    struct message_type *type = growing_arena_allocate(&loader->set->memory, 1, sizeof *type);
    if (added == NULL || type == NULL)
        return loader_no_memory(loader);
    added->from = from;
    added->package = place->package;
    added->file = place->file;
    added->features = place->features;
    if (from->options != NULL)
        features_apply(&added->features, from->options->features);
    added->name = full_name(loader, place->prefix, from->name);
    if (added->name == NULL)
        return false;
    added->compiled = compiled_find(loader->compiled, added->name);
    added->type = type;
    type->not_supported = place->not_supported;
    type->set = loader->set;
    type->map_entry = from->options != NULL && from->options->map_entry;
    type->message_set = from->options != NULL && from->options->message_set_wire_format;
    added->next = loader->messages;
    loader->messages = added;
    loader->set->message_count++;

    struct place inside = {.package = place->package,
                           .file = place->file,
                           .not_supported = place->not_supported,
                           .features = added->features};
    inside.prefix = prefix_of(loader, added->name);
    bool good = inside.prefix != NULL;
    for (size_t i = 0; good && i < from->n_nested_type; i++)
        good = add_message(loader, &inside, from->nested_type[i]);
    for (size_t i = 0; good && i < from->n_enum_type; i++)
        good = add_enum(loader, &inside, from->enum_type[i]);
    for (size_t i = 0; good && i < from->n_extension; i++)
        good = add_extension(loader, &inside, from->extension[i]);
    return good;
}

static int compare_texts(const void *a, const void *b)
{
    const ProtobufCBinaryData *left = a;
    const ProtobufCBinaryData *right = b;
    if (left->len != right->len)
        return left->len < right->len ? -1 : 1;
    return left->len == 0 ? 0 : memcmp(left->data, right->data, left->len);
}

static bool has_file(const struct loader *loader, ProtobufCBinaryData name)
{
    return bsearch(&name, loader->file_names, loader->files->n_file, sizeof name, compare_texts) !=
           NULL;
}

static bool list_files(struct loader *loader)
{
    size_t count = loader->files->n_file;
    loader->file_names =
        growing_arena_allocate(&loader->set->memory, count, sizeof *loader->file_names);
    if (loader->file_names == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < count; i++)
        loader->file_names[i] = loader->files->file[i]->name;
    qsort(loader->file_names, count, sizeof *loader->file_names, compare_texts);
    return true;
}

/*
 * Records why the file's types are not supported. The definitions are listed nevertheless, so that
 * only messages that need them are refused.
 */
static bool note_unsupported(struct loader *loader, const char *file, const char *unknown,
                             struct place *place)
{
    size_t size = strlen(file) + strlen(unknown) + 64;
    char *text = growing_arena_allocate(&loader->set->memory, size, 1);
    if (text == NULL)
        return loader_no_memory(loader);
    snprintf(text, size, "\"%s\" is written in %s, which is not supported", file, unknown);
    place->not_supported = text;
    loader->has_unsupported = true;
    return true;
}

static bool add_file(struct loader *loader, const File *file)
{
    char unknown[48];
    char *name = loader_text(loader, file->name);
    char *package = loader_text(loader, file->package);
    if (name == NULL || package == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < file->n_dependency; i++) {
        char *import = loader_text(loader, file->dependency[i]);
        if (import == NULL)
            return loader_no_memory(loader);
        if (!has_file(loader, file->dependency[i]))
            return loader_refuse(loader,
                                 "\"%s\" is missing, which \"%s\" imports; make the set with "
                                 "protoc --include_imports",
                                 import, name);
    }
    struct place place = {.package = package, .file = name, .prefix = prefix_of(loader, package)};
    if (place.prefix == NULL)
        return false;
    if (file->package.len != 0 && !loader_is_name(file->package, true))
        return loader_refuse(loader, "the package of \"%s\" is not a valid name", name);
    if (!features_of_file(file, &place.features, unknown) &&
        !note_unsupported(loader, name, unknown, &place))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < file->n_message_type; i++)
        good = add_message(loader, &place, file->message_type[i]);
    for (size_t i = 0; good && i < file->n_enum_type; i++)
        good = add_enum(loader, &place, file->enum_type[i]);
    for (size_t i = 0; good && i < file->n_extension; i++)
        good = add_extension(loader, &place, file->extension[i]);
    return good;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int compare_messages(const void *a, const void *b)
{
    const struct message_definition *const *left = a;
    const struct message_definition *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static int compare_enums(const void *a, const void *b)
{
    const struct enum_definition *const *left = a;
    const struct enum_definition *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

typedef const char *name_at(const struct type_set *set, size_t place);

static const char *message_name(const struct type_set *set, size_t place)
{
    return set->messages[place]->name;
}

static const char *enum_name(const struct type_set *set, size_t place)
{
    return set->enums[place]->name;
}

static bool are_different(struct loader *loader, name_at *name, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(name(loader->set, i - 1), name(loader->set, i)) == 0)
            return loader_refuse(loader, "\"%s\" is defined twice", name(loader->set, i));
    return true;
}

static bool make_tables(struct loader *loader)
{
    struct type_set *set = loader->set;
    set->messages = growing_arena_allocate(&set->memory, set->message_count, sizeof(void *));
    set->enums = growing_arena_allocate(&set->memory, set->enum_count, sizeof(void *));
    if (set->messages == NULL || set->enums == NULL)
        return loader_no_memory(loader);
    size_t count = 0;
    for (struct message_definition *at = loader->messages; at != NULL; at = at->next)
        set->messages[count++] = at;
    qsort(set->messages, count, sizeof(void *), compare_messages);
    count = 0;
    for (struct enum_definition *at = loader->enums; at != NULL; at = at->next)
        set->enums[count++] = at;
    qsort(set->enums, count, sizeof(void *), compare_enums);
    return are_different(loader, message_name, set->message_count) &&
           are_different(loader, enum_name, set->enum_count);
}

static int compare_name(const char *name, size_t length, const char *with)
{
    size_t whole = strlen(with);
    size_t common = length < whole ? length : whole;
    int order = common == 0 ? 0 : memcmp(name, with, common);
    return order != 0 ? order : (length > whole) - (length < whole);
}

/* Returns the index of a name in a sorted table, or `count` if the table lacks it. */
static size_t definitions_find(const struct type_set *set, name_at *name_of, size_t count,
                               const char *name, size_t length)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_name(name, length, name_of(set, middle));
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return count;
}

struct message_definition *definition_of_message(const struct type_set *set, const char *name,
                                                 size_t length)
{
    size_t place = definitions_find(set, message_name, set->message_count, name, length);
    return place == set->message_count ? NULL : set->messages[place];
}

struct enum_definition *definition_of_enum(const struct type_set *set, const char *name,
                                           size_t length)
{
    size_t place = definitions_find(set, enum_name, set->enum_count, name, length);
    return place == set->enum_count ? NULL : set->enums[place];
}

/* --- loading: all steps ----------------------------------------------------------------------- */

bool loader_define(struct loader *loader)
{
    if (!list_files(loader))
        return false;
    for (size_t i = 0; i < loader->files->n_file; i++)
        if (!add_file(loader, loader->files->file[i]))
            return false;
    return make_tables(loader);
}
