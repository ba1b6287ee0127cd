/*
 * The folder for files that the bench writes. It has no subfolders. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_SCRATCH_H
#define SLUICE_TOOLS_BENCH_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

#define SCRATCH_PATH_SIZE 1024

/* --- functions of the system, in tools/platform/ ---------------------------------------------- */

/*
 * Creates a folder with a unique name in `base` (NULL: the system's folder for temporary files) and
 * writes its path to `path`. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int scratch_folder_make(const char *base, char path[SCRATCH_PATH_SIZE], struct error *error);

/* Removes an empty folder, if possible. */
void scratch_folder_remove_empty(const char *path);

/* --- functions for all systems, in scratch.c -------------------------------------------------- */

/*
 * Writes a file of `size` bytes and removes it, so that the machine has memory for the next file.
 * The host of a virtual machine takes back memory that was free for a while, and getting it again
 * costs several times as much as writing. On failure the folder is unchanged.
 */
void scratch_folder_warm(const char *path, uint64_t size);

/* Removes the files in the folder. */
void scratch_folder_clear(const char *path);

/* Removes the folder and its files. */
void scratch_folder_remove(const char *path);

#endif
