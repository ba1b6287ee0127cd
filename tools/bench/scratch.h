/* Makes and removes the folder for the bench's files. It has no subfolders. One thread. */
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

void scratch_folder_remove_empty(const char *path);

/* --- functions for all systems, in scratch.c -------------------------------------------------- */

/*
 * Writes a file of `size` bytes and removes it, so that the machine has memory for the next file.
 * The host of a virtual machine takes back unused memory, and to get it again takes several times
 * as long as to write it. Has no effect on failure.
 */
void scratch_folder_warm(const char *path, uint64_t size);

void scratch_folder_clear(const char *path);

void scratch_folder_remove(const char *path);

#endif
