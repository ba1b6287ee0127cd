/*
 * The files that lie where a path with fields may have made them, of this run or of earlier ones.
 * Used by the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILE_WALK_H
#define SLUICE_SINKS_FILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/path_template.h"

/* Behind the name of a file that is not complete. */
#define PART_SUFFIX ".part"

/* Bytes of the longest name that a file may have, with its number or suffix and the NUL. */
#define FILE_NAME_SIZE (PATH_TEMPLATE_SIZE + 16)

struct found_file {
    const char *path;    /* as it lies there, until the visit is over */
    const char *whole;   /* the same without PART_SUFFIX, which `match` is about */
    bool part;           /* it ends in that */
    int64_t modified_ns; /* since 1970 UTC */
    const struct path_match *match;
};

/* Calls `visit` for each regular file below the base folder whose path matches the template. */
void file_walk(const struct path_template *path,
               void (*visit)(void *context, const struct found_file *file), void *context);

#endif
