/*
 * The files that lie where a path with fields may have made them, of this run or of earlier ones.
 * Used by the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_FILE_WALK_H
#define SLUICE_SINKS_FILES_FILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sinks/files/path_template.h"

/* After the name of a file that is not complete. */
#define PART_SUFFIX ".part"

/*
 * The file of a path that is not complete is PATH.part. Where that name is held by one that is
 * complete and cannot get its name yet, the next has a number as complete files have, with ".part"
 * after it ("a.1.ndjson.part"), and so on up to this number.
 */
#define PART_NUMBER_MAX 999

/* Bytes of the longest name that a file may have, with its number and suffix and the NUL. */
#define FILE_NAME_SIZE (PATH_TEMPLATE_SIZE + 16)

struct found_file {
    const char *path;               /* as it lies there, until the visit is over */
    bool part;                      /* it ends in PART_SUFFIX */
    int64_t modified_ns;            /* since 1970 UTC */
    uint64_t size;                  /* bytes */
    const struct path_match *match; /* of a part: of its name without PART_SUFFIX */
};

/*
 * The name of the part that has this number, 0: none, of a path that the template became, into
 * FILE_NAME_SIZE bytes. Returns them.
 */
const char *file_part_name(const struct path_template *template, const char *path, uint32_t number,
                           char *name);

/* Calls `visit` for each regular file below the base folder whose path matches the template. */
void file_walk(const struct path_template *path,
               void (*visit)(void *context, const struct found_file *file), void *context);

#endif
