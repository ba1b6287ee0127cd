#include "proto/source/proto_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"

static bool list(struct proto_files *files, const char *full, bool is_folder)
{
    bool failed;
    if (is_folder) {
        files->base = growing_arena_text(&files->memory, full, strlen(full));
        return files->base != NULL ? proto_folder_list(files) : proto_files_no_memory(files);
    }
    files->base = growing_arena_text(&files->memory, full, file_path_folder(full));
    if (files->base == NULL)
        return proto_files_no_memory(files);
    struct proto_file *file =
        proto_files_get(files, files->base, strlen(files->base), file_path_name(full), &failed);
    if (file == NULL)
        return failed ? false : proto_files_refuse(files, "cannot be opened");
    file->listed = true;
    return true;
}

/*
 * Returns the absolute path, which the caller frees, or NULL with the error filled. protoc cannot
 * read a folder whose path contains the separator of folders in a list. If only the path of the
 * current folder contains it, returns a relative path; the folders above the current one are then
 * not searched.
 */
static char *full_path(struct proto_files *files, const char *path)
{
    char *full = file_path_absolute(path);
    if (full == NULL) {
        proto_files_refuse(files, "its full path cannot be found");
        return NULL;
    }
    if (strchr(full, file_path_list_separator) == NULL ||
        strchr(path, file_path_list_separator) != NULL)
        return full;
    free(full);
    size_t size = strlen(path) + 3;
    full = malloc(size);
    if (full != NULL)
        snprintf(full, size, "./%s", path);
    else
        proto_files_no_memory(files);
    return full;
}

int proto_files_open(const char *path, bool is_folder, struct proto_files *files,
                     struct error *error)
{
    files->given = path;
    files->error = error;
    char *full = full_path(files, path);
    if (full == NULL)
        return -1;
    bool good = list(files, full, is_folder);
    free(full);
    files->listed = files->count;
    return good && proto_roots_find(files) ? 0 : -1;
}

void proto_files_clear(struct proto_files *files)
{
    free(files->files);
    free(files->probe);
    growing_arena_free(&files->memory);
    *files = (struct proto_files){0};
}

const struct proto_file *proto_files_named(const struct proto_files *files, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *one = files->files[i]->name;
        if (one != NULL && strlen(one) == length && memcmp(one, name, length) == 0)
            return files->files[i];
    }
    return NULL;
}
