/*
 * The files of a configuration that another one names: each by its path, or all of a folder.
 *
 * Zero at first; grows as it must. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_NAMES_H
#define SLUICE_COLLECTOR_CONFIG_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Files that one configuration may have. */
#define FILE_NAMES_MAX 256

struct file_names {
    char **paths;
    size_t count;
};

/*
 * Adds what `name` stands for, `length` bytes: a file, or of a folder all whose names end in
 * ".yaml" or ".yml" and begin with no dot, in the order of the names' bytes. It is seen from the
 * folder of the file `from`. Whether a file is there is found out when it is read. Returns false
 * with `fault` filled (its `at` 0): there would be too many, or memory is short.
 */
bool file_names_add(struct file_names *names, const char *from, const char *name, size_t length,
                    struct parse_error *fault);

/* Frees all it holds, and leaves it zero. */
void file_names_free(struct file_names *names);

#endif
