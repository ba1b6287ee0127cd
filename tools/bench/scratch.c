#include "tools/bench/scratch.h"

#include <stdio.h>

#include "collector/folder.h"

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
