/*
 * Where a program that we run writes what it wants a name for: its standard output, by the name
 * that the system has for that, or a file of its own where the system has none.
 *
 * Lifecycle: make, run the program with the path among its arguments
 * (collector/platform/process.h), read the file where it is one, remove. CMake picks the
 * implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESS_TARGET_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESS_TARGET_H

#include <stdbool.h>

#include "collector/base/error.h"

struct process_target {
    char *path;   /* what the program is given */
    bool is_file; /* to be read when it has ended; else what is written there is its output */
};

/* Returns false with `error` filled (EXIT_CODE_INTERNAL, EXIT_CODE_CANNOT_CREATE). */
bool process_target_make(struct process_target *target, struct error *error);

/* The file, too. */
void process_target_remove(struct process_target *target);

#endif
