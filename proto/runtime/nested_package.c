#include "proto/runtime/nested_package.h"

#include <stdlib.h>
#include <string.h>

#include "proto/types/type_change.h"

#define KEYS   "_KEYS"
#define PREFIX "cisco_"

/* The most bytes of a path that names a package. */
#define PATH_MAX_SIZE ((size_t)512)

static const char *without_prefix(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : name;
}

/* --- finding ---------------------------------------------------------------------------------- */

/*
 * Returns true if the type is not inside another message: its full name is then the package, a dot
 * and its own name.
 */
static bool is_outermost(const struct message_type *type)
{
    const ProtobufCMessageDescriptor *descriptor = type->descriptor;
    size_t package = strlen(descriptor->package_name);
    return package != 0 && descriptor->short_name == descriptor->name + package + 1;
}

/* Returns the message X for the message X_KEYS, or NULL if `keys` is not named so. */
static const struct message_type *content_of(const struct type_set *set,
                                             const struct message_type *keys)
{
    const char *name = keys->descriptor->name;
    size_t size = strlen(name);
    if (!text_ends(name, size, KEYS) || !is_outermost(keys) || keys->not_supported != NULL)
        return NULL;
    return type_set_find(set, name, size - strlen(KEYS));
}

static int by_name(const void *a, const void *b)
{
    const struct nested_package *left = a;
    const struct nested_package *right = b;
    return strcmp(left->name, right->name);
}

/* Removes packages with several pairs of X and X_KEYS: a path does not determine one. */
static void drop_ambiguous(struct nested_packages *packages)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < packages->count; i = end) {
        for (end = i + 1; end < packages->count; end++)
            if (strcmp(packages->list[i].name, packages->list[end].name) != 0)
                break;
        if (end == i + 1)
            packages->list[kept++] = packages->list[i];
    }
    packages->count = kept;
}

bool nested_packages_find(struct type_set *set, struct nested_packages *packages,
                          struct error *error)
{
    size_t most = type_set_count(set);
    *packages = (struct nested_packages){.list = calloc(most + 1, sizeof *packages->list)};
    bool room = packages->list != NULL;
    for (size_t i = 0; room && i < most; i++) {
        const struct message_type *keys = type_set_at(set, i);
        const struct message_type *content = content_of(set, keys);
        if (content == NULL)
            continue;
        struct nested_package *added = &packages->list[packages->count++];
        added->name = without_prefix(keys->descriptor->package_name);
        added->content = content;
        added->keys = type_set_mark_keys(set, keys);
        room = added->keys != NULL;
    }
    if (!room) {
        error_no_memory(error);
        return false;
    }
    qsort(packages->list, packages->count, sizeof *packages->list, by_name);
    drop_ambiguous(packages);
    if (packages->count == 0)
        error_set(error, EXIT_CODE_CONFIG,
                  "nested: by= has no TEXT=TYPE after it, and no package has a message X" KEYS
                  " and a message X, as the models of Cisco's routers have");
    return packages->count != 0;
}

void nested_packages_clear(struct nested_packages *packages)
{
    free(packages->list);
    *packages = (struct nested_packages){0};
}

/* --- choosing --------------------------------------------------------------------------------- */

static char package_char(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c + ('a' - 'A'));
    if (c == '-')
        return '_';
    return (char)(c == ':' || c == '/' ? '.' : c);
}

static int compare_name(const void *name, const void *package)
{
    return strcmp(name, ((const struct nested_package *)package)->name);
}

size_t nested_packages_choose(const struct nested_packages *packages, const struct text *path)
{
    char name[PATH_MAX_SIZE + 1];
    if (path->size > PATH_MAX_SIZE || packages->count == 0)
        return SIZE_MAX;
    for (size_t i = 0; i < path->size; i++)
        name[i] = package_char(path->data[i]);
    name[path->size] = '\0';
    const struct nested_package *found =
        bsearch(without_prefix(name), packages->list, packages->count, sizeof *found, compare_name);
    return found == NULL ? SIZE_MAX : (size_t)(found - packages->list);
}
