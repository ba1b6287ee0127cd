/*
 * The complete files of a sink: gives a completed file its name, without replacing another file,
 * and removes old files (sinks/files/kept_files.h).
 *
 * If the name is taken, the file gets a number, one more than the highest, so that the numbers give
 * the order. The folder is searched for the highest number once for a path, and again if another
 * program has used the next one. If a file cannot be renamed, because another program prevents it
 * or the rename fails, the file waits here for its name, open and locked. The sink continues with
 * other files. Files that still wait at the end are left for the next start. Used by the sink's
 * thread, or before that thread starts.
 */
#ifndef SLUICE_SINKS_FILES_FINISHED_FILES_H
#define SLUICE_SINKS_FILES_FINISHED_FILES_H

#include "collector/base/counter.h"
#include "collector/contract/destination_settings.h"
#include "collector/platform/data_file.h"
#include "sinks/files/file_walk.h"
#include "sinks/files/path_template.h"

struct finished_files;

/* A complete file. */
struct complete_part {
    struct part_file *file;
    const char *name; /* the file's present name, with PART_SUFFIX */
    const char *path; /* the file's future name, without a number */
    uint32_t number;  /* number in the part's name */
    int64_t begun_ns; /* since 1970 UTC */
    bool again;       /* the file has waited for its name before, and was taken back */
};

/*
 * `paths`: how many different paths are in use at a time. `path`, `options` and `renames_blocked`
 * (files that wait) must outlive the result. Returns NULL if memory is short.
 */
struct finished_files *finished_files_create(const struct path_template *path,
                                             const struct file_options *options, size_t paths,
                                             struct counter *renames_blocked);

/* Closes the waiting files. NULL is allowed. */
void finished_files_destroy(struct finished_files *files);

/* Returns the bytes that finished_files_create allocates. */
size_t finished_files_memory(size_t paths);

/* Returns whether old files are removed. If so, complete files of earlier runs must be reported. */
bool finished_files_are_limited(const struct finished_files *files);

/* Reports a complete file of an earlier run. */
void finished_files_found(struct finished_files *files, const struct found_file *file);

/* Removes files that were last written longer ago than keep_time; `now_ns` is since 1970 UTC. */
void finished_files_expire(struct finished_files *files, int64_t now_ns);

/*
 * Completes the file: gives it the name of its path, or that name with a number, and writes the
 * name to `name` (FILE_NAME_SIZE bytes). Returns PART_DONE, PART_MISSING, or PART_BUSY: the file
 * cannot be renamed and waits here now, which was logged and counted. If too many files wait
 * already, returns PART_FAILED, and `error` has the reason why the file cannot be renamed.
 */
enum part_result finished_files_add(struct finished_files *files, const struct complete_part *part,
                                    char *name, struct error *error);

/*
 * Adds a waiting part that is closed and cannot be opened (PART_BUSY), so that its path is free for
 * another part; `why` is for the log. Returns false if too many parts wait.
 */
bool finished_files_await(struct finished_files *files, const struct complete_part *part,
                          const char *why);

/*
 * Takes back the part of `path` that has waited for the shortest time, so that the caller can
 * continue to write it. Fills *part except its names. Returns false if no open part of `path`
 * waits.
 */
bool finished_files_roll_back(struct finished_files *files, const char *path,
                              struct complete_part *part);

/*
 * Returns whether any files wait for their names. finished_files_retry tries to rename them, and
 * returns how many have got their names.
 */
bool finished_files_are_waiting(const struct finished_files *files);
size_t finished_files_retry(struct finished_files *files);

/*
 * Tries for the last time to rename the waiting files. Returns how many have got their names. The
 * other files are closed and logged as errors; *unnamed is their number.
 */
size_t finished_files_end(struct finished_files *files, size_t *unnamed);

/*
 * Returns the number for a new part of that path, above the numbers of waiting parts; 0: no part
 * waits.
 */
uint32_t finished_files_next_part(const struct finished_files *files, const char *path);

#endif
