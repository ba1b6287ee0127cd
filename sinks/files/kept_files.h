/*
 * Which complete files of a sink stay: removes those that keep=, keep_time= or keep_size= let go.
 *
 * keep= counts periods where files rotate by time. Two files of the same values are of one period
 * unless the time in their paths, or a multiple of rotate_interval, separates them; a file belongs
 * to the interval in which it was begun (of a file of an earlier run: in which it was last
 * written). Elsewhere each file is one. A file that another program removed counts no more. Used by
 * the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_KEPT_FILES_H
#define SLUICE_SINKS_FILES_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination_settings.h"
#include "sinks/files/path_template.h"

struct kept_files;

/* `path` and `options` outlive it. Returns NULL where memory is short. */
struct kept_files *kept_files_create(const struct path_template *path,
                                     const struct file_options *options);

/* NULL is allowed. */
void kept_files_destroy(struct kept_files *files);

/* Bytes that create takes. */
size_t kept_files_memory(void);

/* Whether only some stay: then the complete files that earlier runs have left have to be reported.
 */
bool kept_files_are_limited(const struct kept_files *files);

/* A complete file that is there: its name, and what path_template_match says of that. */
struct kept_file {
    const char *name;
    const struct path_match *match;
    int64_t begun_ns;    /* since 1970 UTC */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* bytes */
};

/* Takes note of a file that an earlier run has left. */
void kept_files_found(struct kept_files *files, const struct kept_file *file);

/*
 * Takes note of a file that has just become complete, and removes what is not to stay beside it.
 * `modified_ns` is now. The file itself stays, however large it is.
 */
void kept_files_add(struct kept_files *files, const struct kept_file *file);

/* Removes the files that were last written longer ago than keep_time; `now_ns` is since 1970 UTC.
 */
void kept_files_expire(struct kept_files *files, int64_t now_ns);

#endif
