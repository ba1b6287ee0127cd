#include "collector/config/file_names.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

/* Adds a path and takes ownership of it. A NULL path means that memory was short. */
static bool add_path(struct file_names *names, char *path, struct parse_error *fault)
{
    RULE(names->count <= FILE_NAMES_MAX, "a configuration has at most FILE_NAMES_MAX files");
    char **grown =
        path != NULL ? realloc(names->paths, (names->count + 1) * sizeof *names->paths) : NULL;
    if (grown != NULL)
        names->paths = grown;
    if (grown == NULL || names->count == FILE_NAMES_MAX) {
        free(path);
        return grown == NULL
                   ? parse_error_no_memory(fault)
                   : parse_error_set(fault, 0, "there are more than %d files", FILE_NAMES_MAX);
    }
    names->paths[names->count++] = path;
    return true;
}

static char *join_path(const char *folder, size_t folder_length, const char *name, size_t length)
{
    char *path = malloc(folder_length + length + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, folder_length);
    if (folder_length != 0 && folder[folder_length - 1] != '/')
        path[folder_length++] = '/';
    memcpy(path + folder_length, name, length);
    path[folder_length + length] = '\0';
    file_path_normalise(path);
    return path;
}

static char *seen_from(const char *from, const char *name, size_t length)
{
    char *path = join_path("", 0, name, length);
    char *other = text_copy_all(from);
    if (path != NULL && other != NULL && file_path_root(path) == 0) {
        free(path);
        file_path_normalise(other);
        path = join_path(other, file_path_folder(other), name, length);
    }
    if (other == NULL) {
        free(path);
        path = NULL;
    }
    free(other);
    return path;
}

/* --- folders ---------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static int compare_file_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the files of a folder. The target of a link is checked when the file is read. */
static bool add_folder(struct file_names *names, struct folder *folder, const char *path,
                       struct parse_error *fault)
{
    struct folder_entry entry;
    size_t before = names->count;
    while (folder_next(folder, &entry)) {
        if (entry.is_folder || entry.name[0] == '.' ||
            (!ends_in(entry.name, ".yaml") && !ends_in(entry.name, ".yml")))
            continue;
        if (!add_path(names, join_path(path, strlen(path), entry.name, strlen(entry.name)), fault))
            return false;
    }
    if (names->count != before) /* if no file was added, `paths` may be NULL */
        qsort(names->paths + before, names->count - before, sizeof *names->paths,
              compare_file_names);
    return true;
}

/* --- the list of names ------------------------------------------------------------------------ */

bool file_names_add(struct file_names *names, const char *from, struct provenance_mark mark,
                    const char *name, size_t length, struct parse_error *fault)
{
    size_t before = names->count;
    char *path = seen_from(from, name, length);
    struct folder *folder = path != NULL ? folder_open(path) : NULL;
    bool good;
    if (folder == NULL) {
        good = add_path(names, path, fault);
    } else {
        good = add_folder(names, folder, path, fault);
        folder_close(folder);
        free(path);
    }
    for (size_t i = before; i < names->count; i++)
        names->marks[i] = mark;
    return good;
}

void file_names_free(struct file_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->paths[i]);
    free(names->paths);
    names->paths = NULL;
    names->count = 0;
}
