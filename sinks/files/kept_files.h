/*
 * Removes complete files of a sink by keep=, keep_time= and keep_size=.
 *
 * If files rotate by time, keep= counts periods. Files with the same values are in one period,
 * unless the time in their paths or a multiple of rotate_interval separates them. A file belongs to
 * the interval in which it was begun; for a file of an earlier run, in which it was last written.
 * If files do not rotate by time, each file is a period. A file that another program removed does
 * not count. For the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_KEPT_FILES_H
#define SLUICE_SINKS_FILES_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination_settings.h"
#include "sinks/files/path_template.h"

struct kept_files;

/* `path` and `options` must outlive the result. Returns NULL if out of memory. */
struct kept_files *kept_files_create(const struct path_template *path,
                                     const struct file_options *options);

/* NULL is allowed. */
void kept_files_destroy(struct kept_files *files);

/* Returns the bytes that kept_files_create allocates. */
size_t kept_files_memory(void);

/* Returns true if old files are removed. Then complete files of earlier runs must be reported. */
bool kept_files_are_limited(const struct kept_files *files);

/* An existing complete file: its name, and the result of path_template_match for it. */
struct kept_file {
    const char *name;
    const struct path_match *match;
    int64_t begun_ns;    /* since 1970 UTC */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* in bytes */
};

/* Adds a file of an earlier run. */
void kept_files_found(struct kept_files *files, const struct kept_file *file);

/*
 * Adds a file that was just completed, and removes other files if necessary. `modified_ns` is the
 * present time. The new file itself is kept, even if it is too large.
 */
void kept_files_add(struct kept_files *files, const struct kept_file *file);

/* Removes files that were last written more than keep_time ago; `now_ns` is since 1970 UTC. */
void kept_files_expire(struct kept_files *files, int64_t now_ns);

#endif
