/*
 * The complete files of a sink: gives a completed file its name, without replacing another file,
 * and removes old files (sinks/files/kept_files.h).
 *
 * If the name is taken, the file gets a number, one more than the highest, so that the numbers give
 * the order. A file that cannot be renamed waits here for its name, open and locked, while the sink
 * continues with others: another program prevents it, or the rename fails. Files that still wait at
 * the end are left for the next start. Used by the sink's thread, or before it starts.
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
    const char *name; /* of the part */
    const char *path; /* its future name, without a number */
    uint32_t number;  /* of the part's name */
    int64_t begun_ns; /* since 1970 UTC */
    bool again;       /* it has waited before, and was taken back */
};

/*
 * `path`, the options and the counter of waiting files must outlive it. Returns NULL if memory is
 * short.
 */
struct finished_files *finished_files_create(const struct path_template *path,
                                             const struct file_options *options,
                                             struct counter *renames_blocked);

/* Closes the waiting files. NULL is allowed. */
void finished_files_destroy(struct finished_files *files);

/* Bytes that create allocates. */
size_t finished_files_memory(void);

/* Whether old files are removed: then complete files of earlier runs must be reported. */
bool finished_files_are_limited(const struct finished_files *files);

/* Reports a complete file of an earlier run. */
void finished_files_found(struct finished_files *files, const struct found_file *file);

/* Removes files that were last written longer ago than keep_time; `now_ns` is since 1970 UTC. */
void finished_files_expire(struct finished_files *files, int64_t now_ns);

/*
 * Completes the file with the name of its path, or one with a number, which is written to `name`
 * (FILE_NAME_SIZE bytes). PART_DONE, PART_MISSING, or PART_BUSY: it cannot be renamed and waits
 * here now, which was logged and counted. If too many files wait already, the result is
 * PART_FAILED, and `error` has the reason why it cannot be renamed.
 */
enum part_result finished_files_add(struct finished_files *files, const struct complete_part *part,
                                    char *name, struct error *error);

/*
 * Adds a waiting part that is closed and cannot be opened (PART_BUSY), so that its place is free
 * for another one; `why` is for the log. Returns false if too many wait.
 */
bool finished_files_await(struct finished_files *files, const struct complete_part *part,
                          const char *why);

/*
 * Takes back the part of `path` that has waited for the shortest time, to continue writing it: all
 * of *part except its names. Returns false if no open one waits.
 */
bool finished_files_roll_back(struct finished_files *files, const char *path,
                              struct complete_part *part);

/* Whether any wait; and another try: returns how many have got their names. */
bool finished_files_are_waiting(const struct finished_files *files);
size_t finished_files_retry(struct finished_files *files);

/*
 * The last try: returns how many have got their names. The others are closed and logged as errors;
 * *unnamed is their number.
 */
size_t finished_files_end(struct finished_files *files, size_t *unnamed);

/* The number for a new part of that path, above those of waiting ones; 0: none waits. */
uint32_t finished_files_next_part(const struct finished_files *files, const char *path);

#endif
