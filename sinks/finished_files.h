/*
 * The complete files of a sink: gives a file that has become complete its name, without replacing
 * one, and removes the oldest where only some are to be kept.
 *
 * A name that is taken gets a number behind it, one more than the highest there is, so that the
 * numbers tell the order. Used by the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FINISHED_FILES_H
#define SLUICE_SINKS_FINISHED_FILES_H

#include "collector/part_file.h"
#include "collector/path_template.h"
#include "sinks/file_walk.h"

struct finished_files;

/*
 * `keep` files with the same values in their paths, whatever the time in them, stay; 0: all do.
 * `path` outlives it. Returns NULL where memory is short.
 */
struct finished_files *finished_files_create(const struct path_template *path, uint64_t keep);
void finished_files_destroy(struct finished_files *files);

/* Whether only some stay: then the complete files that earlier runs have left have to be told. */
bool finished_files_are_limited(const struct finished_files *files);

/* Tells of a complete file that an earlier run has left. */
void finished_files_found(struct finished_files *files, const struct found_file *file);

/*
 * Completes the file by the name of `path`, or that and a number, which goes to `name`
 * (FILE_NAME_SIZE bytes). PART_DONE, PART_MISSING or PART_FAILED, as part_file_complete.
 */
enum part_result finished_files_add(struct finished_files *files, struct part_file *part,
                                    const char *path, char *name, struct error *error);

#endif
