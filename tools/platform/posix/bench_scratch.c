/*
 * Implements scratch_folder_make of tools/bench/scratch.h with mkdtemp(3), and
 * scratch_folder_remove_empty.
 */
#include "tools/bench/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int scratch_folder_make(const char *base, char path[SCRATCH_PATH_SIZE], struct error *error)
{
    if (base == NULL)
        base = getenv("TMPDIR");
    int length = snprintf(path, SCRATCH_PATH_SIZE, "%s/sluice-bench-XXXXXX",
                          base != NULL && base[0] != '\0' ? base : "/tmp");
    if (length < SCRATCH_PATH_SIZE && mkdtemp(path) != NULL)
        return 0;
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot make the folder %s: %s", path,
              length < SCRATCH_PATH_SIZE ? strerror(errno) : "its name is too long");
    return -1;
}

void scratch_folder_remove_empty(const char *path)
{
    rmdir(path);
}
