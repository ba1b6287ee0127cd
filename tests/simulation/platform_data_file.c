/* Implements data files and folders (collector/platform) in the simulated world. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/moments.h"
#include "tests/simulation/world.h"

/* --- data files ------------------------------------------------------------------------------- */

static struct disk_node *node_of(struct data_file file)
{
    return (struct disk_node *)file.handle;
}

static bool fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: the disk fails", what);
    return false;
}

enum data_file_result data_file_make(const char *path, struct data_file *out, struct error *error)
{
    world_step();
    if (disk_find(path) != NULL)
        return DATA_FILE_TAKEN;
    struct disk_node *node = disk_make(path, false);
    if (node == NULL) {
        fail(error, "cannot create it");
        return DATA_FILE_FAILED;
    }
    node->open++;
    out->handle = (intptr_t)node;
    return DATA_FILE_DONE;
}

enum data_file_result data_file_open(const char *path, struct data_file *out, struct error *error)
{
    (void)error;
    world_step();
    struct disk_node *node = disk_find(path);
    if (node == NULL || node->is_folder)
        return DATA_FILE_MISSING;
    node->open++;
    out->handle = (intptr_t)node;
    return DATA_FILE_DONE;
}

enum data_file_result data_file_open_linked(const char *path, struct data_file *out,
                                            struct error *error)
{
    return data_file_open(path, out, error); /* the simulated disk has no links */
}

bool data_file_size(struct data_file file, uint64_t *size, struct error *error)
{
    (void)error;
    world_step();
    *size = node_of(file)->size;
    return true;
}

bool data_file_read(struct data_file file, uint64_t offset, void *bytes, size_t size, size_t *got,
                    struct error *error)
{
    world_step();
    if (disk_fails_to_read_at(node_of(file), offset))
        return fail(error, "cannot read");
    *got = disk_read(node_of(file), offset, bytes, size);
    return true;
}

enum data_file_result data_file_write(struct data_file file, uint64_t offset,
                                      const struct text *pieces, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        size_t written;
        world_step();
        enum disk_result result =
            disk_write(node_of(file), offset, pieces[i].data, pieces[i].size, &written);
        if (result != DISK_DONE) {
            fail(error, "cannot write");
            return result == DISK_FULL ? DATA_FILE_FULL : DATA_FILE_FAILED;
        }
        offset += written;
    }
    moment_comes(count == 1 ? MOMENT_CURSOR_IS_WRITTEN : MOMENT_BLOCK_IS_STORED);
    world_step();
    return DATA_FILE_DONE;
}

bool data_file_cut(struct data_file file, uint64_t size, struct error *error)
{
    world_step();
    return disk_truncate(node_of(file), size) || fail(error, "cannot cut it off");
}

bool data_file_sync(struct data_file file, struct error *error)
{
    world_step();
    return disk_sync(node_of(file)) || fail(error, "cannot write to the disk");
}

void data_file_close(struct data_file file)
{
    node_of(file)->open--;
    world_step();
}

/* --- folders ---------------------------------------------------------------------------------- */

struct folder {
    char path[DISK_PATH_SIZE];
    size_t next;
    char name[DISK_PATH_SIZE];
};

struct folder *folder_open(const char *path)
{
    world_step();
    const struct disk_node *node = disk_find(path);
    struct folder *folder = node != NULL && node->is_folder ? calloc(1, sizeof *folder) : NULL;
    if (folder != NULL)
        strncpy(folder->path, path, DISK_PATH_SIZE - 1);
    return folder;
}

bool folder_next(struct folder *folder, struct folder_entry *entry)
{
    struct disk_node *node = NULL;
    world_step();
    const char *name = disk_next_name(folder->path, &folder->next, &node);
    if (name == NULL)
        return false;
    strncpy(folder->name, name, DISK_PATH_SIZE - 1);
    *entry = (struct folder_entry){.name = folder->name,
                                   .is_folder = node->is_folder,
                                   .is_file = !node->is_folder,
                                   .modified_ns = node->modified_ns,
                                   .size = node->size};
    return true;
}

const char *folder_next_name(struct folder *folder)
{
    struct folder_entry entry;
    return folder_next(folder, &entry) ? entry.name : NULL;
}

void folder_close(struct folder *folder)
{
    free(folder);
}

bool folder_has(const char *path)
{
    world_step();
    return disk_find(path) != NULL;
}

bool folder_remove_file(const char *path)
{
    world_step();
    return disk_find(path) == NULL || disk_remove(path);
}

bool folder_rename_file(const char *from, const char *to)
{
    world_step();
    return disk_rename(from, to);
}

bool folder_sync(const char *path, struct error *error)
{
    (void)path;
    world_step();
    return disk_sync_names() || fail(error, "cannot write the folder to the disk");
}
