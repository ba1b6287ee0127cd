/*
 * Finds the files that a path with fields may have made, in this run or in earlier ones. Used by
 * the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_FILE_WALK_H
#define SLUICE_SINKS_FILES_FILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sinks/files/path_template.h"

/* Suffix of an incomplete file. */
#define PART_SUFFIX ".part"

/*
 * The incomplete file of a path is PATH.part. While a complete file that still waits for its name
 * uses PATH.part, the next incomplete file has a number like complete files, followed by ".part"
 * ("a.1.ndjson.part"). This is the largest such number.
 */
#define PART_NUMBER_MAX 999

/* Size of the longest name of a file, with its number, its suffix and the NUL. */
#define FILE_NAME_SIZE (PATH_TEMPLATE_SIZE + 16)

struct found_file {
    const char *path;               /* the file's path as stored, valid during the visit */
    bool part;                      /* the name ends with PART_SUFFIX */
    int64_t modified_ns;            /* since 1970 UTC */
    uint64_t size;                  /* bytes */
    const struct path_match *match; /* the match of the path; for an incomplete file, without
                                       PART_SUFFIX */
};

/*
 * Writes the name of the part with this number (0: none) of an expanded path to `name`, which has
 * FILE_NAME_SIZE bytes. Returns `name`.
 */
const char *file_part_name(const struct path_template *template, const char *path, uint32_t number,
                           char *name);

/* Calls `visit` for each regular file below the base folder whose path matches the template. */
void file_walk(const struct path_template *path,
               void (*visit)(void *context, const struct found_file *file), void *context);

#endif
