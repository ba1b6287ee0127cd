/* Finds the folders that contain the imports, and names each file. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "proto/source/proto_files.h"

struct visiting {
    struct proto_files *files;
    struct proto_file **list; /* with room for all files */
    size_t count;
    unsigned visit;
};

/* --- folders upward --------------------------------------------------------------------------- */

/* Returns the length of the path of the folder above, or 0 if there is none. */
static size_t above(const char *path, size_t length)
{
    size_t root = file_path_root(path);
    if (length <= root)
        return 0;
    while (length > root && path[length - 1] != '/')
        length--;
    return length > root ? length - 1 : root;
}

static bool is_plain(const char *name)
{
    return name[0] != '\0' && name[0] != '/' && strstr(name, "..") == NULL;
}

/*
 * Finds the file of an import in the importing file's folder, or in the nearest folder above. Sets
 * *root to the length of that folder's path, with which the importing file's path begins. Returns
 * NULL if no folder has the file or, with *failed set, on an error.
 */
static struct proto_file *find_import(struct proto_files *files, const struct proto_file *importer,
                                      const char *name, size_t *root, bool *failed)
{
    *failed = false;
    if (!is_plain(name))
        return NULL;
    for (*root = file_path_folder(importer->path); *root != 0;
         *root = above(importer->path, *root)) {
        struct proto_file *found = proto_files_get(files, importer->path, *root, name, failed);
        if (found != NULL || *failed)
            return found;
    }
    return NULL;
}

/* --- visiting all files ----------------------------------------------------------------------- */

static bool visit(struct visiting *visiting, struct proto_file *file)
{
    if (file->visit == visiting->visit)
        return true;
    file->visit = visiting->visit;
    struct proto_file **grown =
        realloc(visiting->list, (visiting->files->count + 1) * sizeof(struct proto_file *));
    if (grown == NULL)
        return proto_files_no_memory(visiting->files);
    visiting->list = grown;
    visiting->list[visiting->count++] = file;
    return true;
}

static bool visit_listed(struct visiting *visiting)
{
    visiting->visit++;
    visiting->count = 0;
    for (size_t i = 0; i < visiting->files->listed; i++)
        if (!visit(visiting, visiting->files->files[i]))
            return false;
    return true;
}

/* --- one folder with all files ---------------------------------------------------------------- */

enum fit { FITS, FITS_NOT, FIT_FAILED };

/*
 * Returns FITS if this import allows the folder to be the only root: the folder contains the file,
 * which is then visited, too, or no folder contains it.
 */
static enum fit fit_import(struct visiting *visiting, const struct proto_file *importer,
                           const char *name, size_t root)
{
    struct proto_files *files = visiting->files;
    size_t elsewhere;
    bool failed;
    if (!is_plain(name))
        return FITS;
    struct proto_file *found = proto_files_get(files, files->base, root, name, &failed);
    if (failed)
        return FIT_FAILED;
    if (found != NULL)
        return visit(visiting, found) ? FITS : FIT_FAILED;
    found = find_import(files, importer, name, &elsewhere, &failed);
    return failed ? FIT_FAILED : found == NULL ? FITS : FITS_NOT;
}

/*
 * Returns FITS if the folder, the first `root` bytes of files->base, contains the imports of all
 * files. Ignores imports that no folder contains.
 */
static enum fit fit_folder(struct visiting *visiting, size_t root)
{
    enum fit fit = visit_listed(visiting) ? FITS : FIT_FAILED;
    for (size_t i = 0; i < visiting->count && fit == FITS; i++)
        for (const struct proto_import *at = visiting->list[i]->head.imports;
             at != NULL && fit == FITS; at = at->next)
            fit = fit_import(visiting, visiting->list[i], at->name, root);
    return fit;
}

/* Returns the part of a path after its folder, which is the first `root` bytes. */
static const char *below(const char *path, size_t root)
{
    path += root;
    return *path == '/' ? path + 1 : path;
}

static bool take_folder(struct visiting *visiting, size_t root)
{
    struct proto_files *files = visiting->files;
    files->roots[0] = growing_arena_text(&files->memory, files->base, root);
    files->root_count = 1;
    for (size_t i = 0; i < visiting->count; i++)
        visiting->list[i]->name = below(visiting->list[i]->path, root);
    return files->roots[0] != NULL || proto_files_no_memory(files);
}

/* --- several folders -------------------------------------------------------------------------- */

static bool add_root(struct proto_files *files, const char *path, size_t length)
{
    for (size_t i = 0; i < files->root_count; i++)
        if (strlen(files->roots[i]) == length && memcmp(files->roots[i], path, length) == 0)
            return true;
    if (files->root_count == PROTO_ROOTS_MAX)
        return proto_files_refuse(files,
                                  "imports are found in more than %zu folders; make a descriptor "
                                  "set with protoc and your own --proto_path",
                                  PROTO_ROOTS_MAX);
    char *root = growing_arena_text(&files->memory, path, length);
    if (root == NULL)
        return proto_files_no_memory(files);
    files->roots[files->root_count++] = root;
    return true;
}

static bool name_import(struct proto_files *files, struct proto_file *file, const char *name,
                        const struct proto_file *importer)
{
    if (file->name == NULL) {
        file->name = name;
        file->importer = importer;
        return true;
    }
    return strcmp(file->name, name) == 0 ||
           proto_files_refuse(files,
                              "%s is imported as \"%s\" by %s and as \"%s\" by %s, and protoc "
                              "accepts one name; change one import",
                              file->path, file->name, file->importer->path, name, importer->path);
}

static bool name_imports(struct visiting *visiting, const struct proto_file *importer)
{
    struct proto_files *files = visiting->files;
    for (const struct proto_import *at = importer->head.imports; at != NULL; at = at->next) {
        size_t root;
        bool failed;
        struct proto_file *found = find_import(files, importer, at->name, &root, &failed);
        if (failed)
            return false;
        if (found != NULL && (!name_import(files, found, at->name, importer) ||
                              !add_root(files, importer->path, root) || !visit(visiting, found)))
            return false;
    }
    return true;
}

/* Names files that are not imported: by their path below the schema's folder. */
static bool name_others(struct proto_files *files)
{
    size_t base = strlen(files->base);
    bool is_used = files->root_count == 0;
    for (size_t i = 0; i < files->listed; i++) {
        if (files->files[i]->name != NULL)
            continue;
        files->files[i]->name = below(files->files[i]->path, base);
        is_used = true;
    }
    return !is_used || add_root(files, files->base, base);
}

static int by_length(const void *a, const void *b)
{
    const char *left = *(const char *const *)a;
    const char *right = *(const char *const *)b;
    size_t left_size = strlen(left);
    size_t right_size = strlen(right);
    return left_size != right_size ? (left_size < right_size) - (left_size > right_size)
                                   : strcmp(left, right);
}

/*
 * Checks that protoc finds this file by its name: it takes the file in the first root that has the
 * name.
 */
static bool check_name(struct proto_files *files, const struct proto_file *file)
{
    for (size_t i = 0; i < files->root_count; i++) {
        bool failed;
        const char *root = files->roots[i];
        const struct proto_file *found =
            proto_files_get(files, root, strlen(root), file->name, &failed);
        if (failed)
            return false;
        if (found != NULL)
            return found == file ||
                   proto_files_refuse(files,
                                      "%s and %s are both \"%s\" for protoc; name one of their "
                                      "folders, or make a descriptor set",
                                      found->path, file->path, file->name);
    }
    return true;
}

static bool take_several(struct visiting *visiting)
{
    struct proto_files *files = visiting->files;
    if (!visit_listed(visiting))
        return false;
    for (size_t i = 0; i < visiting->count; i++)
        if (!name_imports(visiting, visiting->list[i]))
            return false;
    if (!name_others(files))
        return false;
    qsort(files->roots, files->root_count, sizeof files->roots[0], by_length);
    for (size_t i = 0; i < visiting->count; i++)
        if (!check_name(files, visiting->list[i]))
            return false;
    return true;
}

/* --- finding the roots ------------------------------------------------------------------------ */

static bool find_roots(struct visiting *visiting)
{
    const char *base = visiting->files->base;
    for (size_t root = strlen(base); root != 0; root = above(base, root)) {
        switch (fit_folder(visiting, root)) {
        case FITS:
            return take_folder(visiting, root);
        case FITS_NOT:
            break;
        case FIT_FAILED:
            return false;
        }
    }
    return take_several(visiting);
}

bool proto_roots_find(struct proto_files *files)
{
    struct visiting visiting = {.files = files};
    bool good = find_roots(&visiting);
    free(visiting.list);
    return good;
}
