/*
 * A folder for what is written while the bench runs; files in it, no folders. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_SCRATCH_H
#define SLUICE_TOOLS_BENCH_SCRATCH_H

#include <stddef.h>

#include "collector/error.h"

#define SCRATCH_PATH_SIZE 1024

/* --- of the system: one file each under tools/platform/ --------------------------------------- */

/*
 * Makes a folder with a name of its own in `base` (NULL: where the system has such things) and
 * writes its path. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int scratch_folder_make(const char *base, char path[SCRATCH_PATH_SIZE], struct error *error);

/* Removes an empty folder, if it can. */
void scratch_folder_remove_empty(const char *path);

/* --- of every system -------------------------------------------------------------------------- */

/* Removes the files in it. */
void scratch_folder_clear(const char *path);

/* Removes it with the files in it. */
void scratch_folder_remove(const char *path);

#endif
