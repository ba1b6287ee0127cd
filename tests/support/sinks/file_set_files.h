/*
 * Helps to test rotating files: makes path templates in the scratch directory, and starts another
 * program that holds a file open. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_FILE_SET_FILES_H
#define SLUICE_TESTS_SUPPORT_SINKS_FILE_SET_FILES_H

#include "collector/contract/encoder.h"
#include "sinks/files/finished_files.h"
#include "sinks/files/path_template.h"

/* Returns the encoder of json, except that it recognises any line of a file as its own. */
const struct encoder_ops *file_set_lines(void);

/*
 * Returns the template of a path in the scratch directory. The caller frees it with
 * path_template_free.
 */
struct path_template *file_set_template(const char *path);

/*
 * Creates the list of completed files of this path template. Files that cannot be removed are
 * counted in file_set_blocked. The options decide which files are kept; they are copied into a
 * static variable, which the next call overwrites.
 */
struct finished_files *file_set_finished_files(const struct path_template *path, uint64_t keep);
struct finished_files *file_set_finished_files_by(const struct path_template *path,
                                                  const struct file_options *options);
extern struct counter file_set_blocked;

/*
 * Completes a new file with this text. Returns its name without the directory, which is valid until
 * the next call.
 */
const char *file_set_finish(struct finished_files *files, const char *path, const char *text);

/*
 * Starts another program that creates this file, and keeps it open and locked until it is killed.
 */
struct file_holder;
struct file_holder *file_set_hold(const char *path);
void file_set_kill(struct file_holder *holder);

#endif
