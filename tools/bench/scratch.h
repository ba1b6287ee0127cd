/*
 * A folder for what is written while the bench runs; files in it, no folders. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_SCRATCH_H
#define SLUICE_TOOLS_BENCH_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

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

/*
 * Writes a file of that size there and removes it, so that the memory for the next one is at hand:
 * the host of a virtual machine takes back what stood free for a while, and to get it anew costs
 * several times what the writing does. Where that fails the folder is as it was.
 */
void scratch_folder_warm(const char *path, uint64_t size);

/* Removes the files in it. */
void scratch_folder_clear(const char *path);

/* Removes it with the files in it. */
void scratch_folder_remove(const char *path);

#endif
