#include "sinks/files/file_walk.h"

#include <string.h>

#include "collector/platform/file_system.h"

const char *file_part_name(const struct path_template *template, const char *path, uint32_t number,
                           char *name)
{
    /* This cannot fail, because FILE_NAME_SIZE includes the suffix. */
    path_template_numbered(template, path, number, name, FILE_NAME_SIZE);
    memcpy(name + strlen(name), PART_SUFFIX, sizeof PART_SUFFIX);
    return name;
}

struct walk {
    const struct path_template *path;
    void (*visit)(void *context, const struct found_file *file);
    void *context;
    char name[FILE_NAME_SIZE]; /* path of the current file */
};

static void look_at(struct walk *walk, size_t length, const struct folder_entry *entry)
{
    const size_t suffix = sizeof PART_SUFFIX - 1;
    struct path_match match;
    char whole[FILE_NAME_SIZE];
    memcpy(whole, walk->name, length + 1);
    bool part = length > suffix && strcmp(whole + length - suffix, PART_SUFFIX) == 0;
    if (part)
        whole[length - suffix] = '\0';
    if (!path_template_match(walk->path, whole, &match) || (part && match.number > PART_NUMBER_MAX))
        return;
    walk->visit(walk->context, &(struct found_file){.path = walk->name,
                                                    .part = part,
                                                    .modified_ns = entry->modified_ns,
                                                    .size = entry->size,
                                                    .match = &match});
}

/*
 * Visits the entries of `folder`. The first `length` bytes of walk->name are its path with a '/',
 * or empty.
 */
static void walk_folder(struct walk *walk, const char *folder, size_t length, size_t depth)
{
    struct folder *opened = folder_open(folder);
    struct folder_entry entry;
    while (opened != NULL && folder_next(opened, &entry)) {
        size_t size = strlen(entry.name);
        if (size + 2 > sizeof walk->name - length)
            continue;
        memcpy(walk->name + length, entry.name, size + 1);
        if (depth == 0 && entry.is_file) {
            look_at(walk, length + size, &entry);
        } else if (depth != 0 && entry.is_folder) {
            char inner[FILE_NAME_SIZE];
            memcpy(inner, walk->name, length + size + 1);
            walk->name[length + size] = '/';
            walk_folder(walk, inner, length + size + 1, depth - 1);
        }
    }
    folder_close(opened);
}

void file_walk(const struct path_template *path,
               void (*visit)(void *context, const struct found_file *file), void *context)
{
    struct walk walk = {.path = path, .visit = visit, .context = context};
    const char *prefix = path_template_prefix(path);
    size_t length = strlen(prefix);
    if (length + 2 > sizeof walk.name)
        return;
    memcpy(walk.name, prefix, length + 1);
    walk_folder(&walk, path_template_base(path), length, path_template_depth(path));
}
