/*
 * A folder for files that are written during the bench. It contains only files. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_SCRATCH_H
#define SLUICE_TOOLS_BENCH_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

#define SCRATCH_PATH_SIZE 1024

/* --- of the system: implemented in tools/platform/ -------------------------------------------- */

/*
 * Creates a folder with a unique name in `base` (NULL: the system's folder for temporary files) and
 * writes its path. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int scratch_folder_make(const char *base, char path[SCRATCH_PATH_SIZE], struct error *error);

/* Removes an empty folder, if possible. */
void scratch_folder_remove_empty(const char *path);

/* --- of all systems --------------------------------------------------------------------------- */

/*
 * Writes a file of that size and removes it, so that memory for the next file is available: the
 * host of a virtual machine reclaims memory that was free for a while, and getting it back costs
 * several times as much as writing. On failure the folder is unchanged.
 */
void scratch_folder_warm(const char *path, uint64_t size);

/* Removes its files. */
void scratch_folder_clear(const char *path);

/* Removes the folder and its files. */
void scratch_folder_remove(const char *path);

#endif
