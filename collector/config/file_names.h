/*
 * Lists the files that a configuration file includes. A file is included by its own path, or by the
 * path of its folder.
 *
 * Begin with a zeroed struct. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_NAMES_H
#define SLUICE_COLLECTOR_CONFIG_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/provenance.h"

/* The maximum number of files of a configuration. */
#define FILE_NAMES_MAX 256

struct file_names {
    char **paths;
    size_t count;
    struct provenance_mark marks[FILE_NAMES_MAX]; /* for each file, the position of its name or
                                                     of its folder's name */
};

/*
 * Adds the file `name` of `length` bytes, which the file `from` names at `mark`. If `name` is a
 * folder, adds its files "*.yaml" and "*.yml" whose names do not begin with a dot, sorted by bytes.
 * `name` is relative to the folder of the file `from`. Does not check that a file exists. Returns
 * false with `fault` filled (its `at` is 0): too many files, or memory is short.
 */
bool file_names_add(struct file_names *names, const char *from, struct provenance_mark mark,
                    const char *name, size_t length, struct parse_error *fault);

/* Frees the contents, and forgets the files. */
void file_names_free(struct file_names *names);

#endif
