/* Implements the part files of collector/platform/data_file.h in the simulated world. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/data_file.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/world.h"

struct part_file {
    struct disk_node *node;
    uint64_t size;
    bool torn;
    char path[DISK_PATH_SIZE];
};

static bool fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: the disk is full, or it fails", what);
    return false;
}

/* --- opening ---------------------------------------------------------------------------------- */

static enum part_result keep(struct disk_node *node, const char *path, struct part_file **out,
                             struct error *error)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        error_no_memory(error);
        return PART_FAILED;
    }
    (*out)->node = node;
    (*out)->size = node->size;
    strncpy((*out)->path, path, DISK_PATH_SIZE - 1);
    node->open++;
    node->writers++;
    node->exclusive = true;
    return PART_DONE;
}

static void make_folders(const char *path, size_t from)
{
    char folder[DISK_PATH_SIZE];
    for (size_t i = from == 0 ? 1 : from; path[i] != '\0' && i < sizeof folder; i++) {
        if (path[i] != '/')
            continue;
        memcpy(folder, path, i);
        folder[i] = '\0';
        disk_make(folder, true);
        world_step();
    }
}

enum part_result part_file_open_new(const char *path, size_t base_length, unsigned mode,
                                    struct part_file **out, struct error *error)
{
    (void)mode;
    world_step();
    if (disk_find(path) != NULL)
        return PART_TAKEN;
    make_folders(path, base_length);
    struct disk_node *node = disk_make(path, false);
    if (node == NULL) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot create %s: the disk fails", path);
        return PART_FAILED;
    }
    enum part_result result = keep(node, path, out, error);
    world_step();
    return result;
}

enum part_result part_file_open_private(const char *path, size_t base_length,
                                        struct part_file **out, struct error *error)
{
    return part_file_open_new(path, base_length, 0, out, error);
}

enum part_result part_file_open_left(const char *path, struct part_file **out, struct error *error)
{
    world_step();
    struct disk_node *node = disk_find(path);
    if (node == NULL || node->is_folder)
        return PART_MISSING;
    return node->exclusive ? PART_LOCKED : keep(node, path, out, error);
}

/* --- reading and writing ---------------------------------------------------------------------- */

uint64_t part_file_size(const struct part_file *file)
{
    return file->size;
}

static void note_size(struct part_file *file)
{
    if (!file->torn || file->node->size < file->size)
        file->size = file->node->size;
}

bool part_file_is_there(struct part_file *file)
{
    world_step();
    note_size(file);
    return disk_find(file->path) == file->node;
}

static bool mend(struct part_file *file)
{
    if (!file->torn)
        return true;
    if (file->node->size > file->size && !disk_truncate(file->node, file->size))
        return false;
    file->torn = false;
    return true;
}

bool part_file_append(struct part_file *file, const void *bytes, size_t size, struct error *error)
{
    size_t written;
    world_step();
    if (!mend(file))
        return fail(error, "cannot cut off a torn end");
    note_size(file);
    if (disk_write(file->node, file->node->size, bytes, size, &written) != DISK_DONE) {
        world_step();
        file->torn = written != 0;
        mend(file);
        return fail(error, "cannot write");
    }
    file->size += size;
    world_step();
    return true;
}

size_t part_file_read(struct part_file *file, uint64_t offset, void *bytes, size_t size)
{
    world_step();
    return disk_read(file->node, offset, bytes, size);
}

bool part_file_is_torn(const struct part_file *file)
{
    return file->torn;
}

bool part_file_cut(struct part_file *file, uint64_t size, struct error *error)
{
    world_step();
    if (!disk_truncate(file->node, size))
        return fail(error, "cannot cut it off");
    file->size = size;
    file->torn = false;
    return true;
}

bool part_file_sync(struct part_file *file, struct error *error)
{
    world_step();
    if (!mend(file))
        return fail(error, "cannot cut off a torn end");
    bool done = disk_sync(file->node);
    world_step();
    return done || fail(error, "cannot write to the disk");
}

/* --- the end ---------------------------------------------------------------------------------- */

enum part_result part_file_complete(struct part_file *file, const char *name, struct error *error)
{
    if (!mend(file)) {
        fail(error, "cannot cut off a torn end");
        return PART_FAILED;
    }
    if (!part_file_is_there(file))
        return PART_MISSING;
    if (disk_find(name) != NULL)
        return PART_TAKEN;
    if (!disk_rename(file->path, name)) {
        error_set(error, EXIT_CODE_IO, "cannot rename it to %s: the disk fails", name);
        return PART_FAILED;
    }
    part_file_close(file);
    return PART_DONE;
}

bool part_file_remove(struct part_file *file, struct error *error)
{
    bool gone = !part_file_is_there(file) || disk_remove(file->path);
    if (!gone)
        error_set(error, EXIT_CODE_IO, "cannot remove it");
    part_file_close(file);
    return gone;
}

void part_file_close(struct part_file *file)
{
    if (file == NULL)
        return;
    mend(file);
    file->node->open--;
    file->node->writers--;
    file->node->exclusive = false;
    free(file);
    world_step();
}
