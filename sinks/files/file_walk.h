/*
 * Finds the files that a path with fields may have made, in this run or earlier ones. For the
 * sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_FILE_WALK_H
#define SLUICE_SINKS_FILES_FILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sinks/files/path_template.h"

/* The suffix of an incomplete file. */
#define PART_SUFFIX ".part"

/*
 * The maximum number in the name of an incomplete file. The name is PATH.part, or, if a complete
 * file that waits for its name still uses that, it has a number like complete files
 * ("a.1.ndjson.part").
 */
#define PART_NUMBER_MAX 999

/* The maximum size of a file's path with its number, its suffix and the NUL. */
#define FILE_NAME_SIZE (PATH_TEMPLATE_SIZE + 16)

struct found_file {
    const char *path;               /* as stored; valid during the visit */
    bool part;                      /* the name ends with PART_SUFFIX */
    int64_t modified_ns;            /* since 1970 UTC */
    uint64_t size;                  /* in bytes */
    const struct path_match *match; /* the match of the path without PART_SUFFIX */
};

/*
 * Writes the path of the incomplete file with the number (0: no number) of an expanded path to
 * `name`, which has FILE_NAME_SIZE bytes. Returns `name`.
 */
const char *file_part_name(const struct path_template *template, const char *path, uint32_t number,
                           char *name);

/* Calls `visit` for each regular file below the base folder whose path matches the template. */
void file_walk(const struct path_template *path,
               void (*visit)(void *context, const struct found_file *file), void *context);

#endif
