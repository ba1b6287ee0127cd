/*
 * Gives the completed files of a sink their names, without replacing another file, and removes old
 * files (sinks/files/kept_files.h).
 *
 * If the name is in use, the file gets a number, one more than the highest, so that the numbers
 * show the order. To find the highest number, the folder is searched once for a path, and again if
 * another program has used the next number. A file that cannot be renamed waits for its name, open
 * and locked, and the sink continues with other files. Files that still wait at the end are left
 * for the next start. For the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_FINISHED_FILES_H
#define SLUICE_SINKS_FILES_FINISHED_FILES_H

#include "collector/base/counter.h"
#include "collector/contract/destination_settings.h"
#include "collector/platform/data_file.h"
#include "sinks/files/file_walk.h"
#include "sinks/files/path_template.h"

struct finished_files;

/* A file that is complete. */
struct complete_part {
    struct part_file *file;
    const char *name; /* present name, with PART_SUFFIX */
    const char *path; /* future name, without a number */
    uint32_t number;  /* number in the present name */
    int64_t begun_ns; /* since 1970 UTC */
    bool again;       /* it waited for its name before, and was taken back */
};

/*
 * `paths` is the number of different paths in use at a time. `path`, `options` and
 * `renames_blocked` (counts waiting files) must outlive the result. Returns NULL if out of memory.
 */
struct finished_files *finished_files_create(const struct path_template *path,
                                             const struct file_options *options, size_t paths,
                                             struct counter *renames_blocked);

/* Closes the waiting files. NULL is allowed. */
void finished_files_destroy(struct finished_files *files);

/* Returns the bytes that finished_files_create allocates. */
size_t finished_files_memory(size_t paths);

/* Returns true if old files are removed. Then complete files of earlier runs must be reported. */
bool finished_files_are_limited(const struct finished_files *files);

void finished_files_found(struct finished_files *files, const struct found_file *file);

/* Removes files that were last written more than keep_time ago; `now_ns` is since 1970 UTC. */
void finished_files_expire(struct finished_files *files, int64_t now_ns);

/*
 * Renames the file to its path, or to its path with a number, and writes the new name to `name`
 * (FILE_NAME_SIZE bytes). Returns PART_DONE, PART_MISSING, or PART_BUSY: the file cannot be renamed
 * and waits here now, which was logged and counted. If too many files wait, returns PART_FAILED,
 * and `error` has the reason why the file cannot be renamed.
 */
enum part_result finished_files_add(struct finished_files *files, const struct complete_part *part,
                                    char *name, struct error *error);

/*
 * Adds a waiting file that is closed and cannot be opened (PART_BUSY), so that its path is free for
 * another file. `why` is for the log. Returns false if too many files wait.
 */
bool finished_files_await(struct finished_files *files, const struct complete_part *part,
                          const char *why);

/*
 * Takes back the file of `path` that was added last, so that the caller can continue to write it.
 * Fills *part except its names. Returns false if no open file of `path` waits.
 */
bool finished_files_roll_back(struct finished_files *files, const char *path,
                              struct complete_part *part);

/*
 * Returns true if files wait for their names. finished_files_retry tries to rename them, and
 * returns the number of those renamed.
 */
bool finished_files_are_waiting(const struct finished_files *files);
size_t finished_files_retry(struct finished_files *files);

/*
 * Tries for the last time to rename the waiting files. Returns the number of those renamed. The
 * others are closed and logged as errors; *unnamed is their number.
 */
size_t finished_files_end(struct finished_files *files, size_t *unnamed);

/*
 * Returns the number for a new incomplete file of the path, above those of the waiting files; 0 if
 * none waits.
 */
uint32_t finished_files_next_part(const struct finished_files *files, const char *path);

#endif
