#include "tools/bench/scratch.h"

#include <stdio.h>

#include "collector/platform/file_system.h"

void scratch_folder_warm(const char *path, uint64_t size)
{
    static const char block[64 * 1024];
    char name[SCRATCH_PATH_SIZE + 16];
    snprintf(name, sizeof name, "%s/warm", path);
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return;
    for (uint64_t at = 0; at < size && fwrite(block, sizeof block, 1, file) == 1;)
        at += sizeof block;
    fclose(file);
    folder_remove_file(name);
}

void scratch_folder_clear(const char *path)
{
    struct folder *folder = folder_open(path);
    struct folder_entry entry;
    char file[SCRATCH_PATH_SIZE + 256];
    while (folder != NULL && folder_next(folder, &entry)) {
        snprintf(file, sizeof file, "%s/%s", path, entry.name);
        folder_remove_file(file);
    }
    folder_close(folder);
}

void scratch_folder_remove(const char *path)
{
    scratch_folder_clear(path);
    scratch_folder_remove_empty(path);
}
