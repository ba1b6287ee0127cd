/*
 * The complete files of a sink: gives a file that has become complete its name, without replacing
 * one, and removes those that are not to stay (sinks/files/kept_files.h).
 *
 * Where the name is taken the file gets a number, one more than the highest there is, so that the
 * numbers give the order. A file that cannot be renamed waits here for its name, open and locked,
 * while the sink goes on with others: another program keeps it from that, or the rename fails.
 * Those that still wait at the end are left as they are, for the next start. Used by the sink's
 * thread, or before it starts.
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
    const char *name; /* of the part */
    const char *path; /* what it is to be called, without a number */
    uint32_t number;  /* of the part's name */
    int64_t begun_ns; /* since 1970 UTC */
    bool again;       /* it has waited before, and was taken back */
};

/*
 * `path`, the options and the counter, of files that had to wait, outlive it. Returns NULL where
 * memory is short.
 */
struct finished_files *finished_files_create(const struct path_template *path,
                                             const struct file_options *options,
                                             struct counter *renames_blocked);

/* Closes those that wait. NULL is allowed. */
void finished_files_destroy(struct finished_files *files);

/* Bytes that create takes. */
size_t finished_files_memory(void);

/* Whether only some stay: then the complete files that earlier runs have left have to be reported.
 */
bool finished_files_are_limited(const struct finished_files *files);

/* Tells of a complete file that an earlier run has left. */
void finished_files_found(struct finished_files *files, const struct found_file *file);

/* Removes the files that were last written longer ago than keep_time; `now_ns` is since 1970 UTC.
 */
void finished_files_expire(struct finished_files *files, int64_t now_ns);

/*
 * Completes the file by the name of its path, or that with a number, which goes to `name`
 * (FILE_NAME_SIZE bytes). PART_DONE, PART_MISSING, or PART_BUSY: it cannot be renamed and waits
 * here now, which was logged and counted. Where too many wait already that is PART_FAILED, and
 * `error` says why it cannot be renamed.
 */
enum part_result finished_files_add(struct finished_files *files, const struct complete_part *part,
                                    char *name, struct error *error);

/*
 * Has a part wait that is closed and cannot be opened (PART_BUSY), so that its place is free for
 * another one; `why` is for the log. Returns false where too many wait.
 */
bool finished_files_await(struct finished_files *files, const struct complete_part *part,
                          const char *why);

/*
 * Takes back the part of `path` that has waited for the shortest time, to be written on: all of
 * *part but its names. Returns false where none waits that is open.
 */
bool finished_files_roll_back(struct finished_files *files, const char *path,
                              struct complete_part *part);

/* Whether any wait; and trying again: returns how many have got their names. */
bool finished_files_are_waiting(const struct finished_files *files);
size_t finished_files_retry(struct finished_files *files);

/*
 * Tries for the last time: returns how many have got their names. The others are closed and logged
 * as errors; *unnamed is how many.
 */
size_t finished_files_end(struct finished_files *files, size_t *unnamed);

/* The number for a new part of that path, above those of the ones that wait; 0: none does. */
uint32_t finished_files_next_part(const struct finished_files *files, const char *path);

#endif
