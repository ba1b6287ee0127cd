/*
 * What tests of files that rotate have in common: templates of paths in the scratch directory, and
 * another program that holds a file. Each function fails the running cmocka test where it cannot do
 * what it says.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_STORE_FILES_H
#define SLUICE_TESTS_SUPPORT_SINKS_STORE_FILES_H

#include "collector/contract/path_template.h"
#include "sinks/files/finished_files.h"

/* The template of a path in the scratch directory. Freed by path_template_free. */
struct path_template *store_template(const char *path);

/*
 * The complete files of that path, which count in store_blocked. The options, which are copied
 * until the next call, say which stay.
 */
struct finished_files *store_finished_files(const struct path_template *path, uint64_t keep);
struct finished_files *store_finished_files_by(const struct path_template *path,
                                               const struct file_options *options);
extern struct counter store_blocked;

/* Completes a new file of that text; its name without the directory, until the next call. */
const char *store_finish(struct finished_files *files, const char *path, const char *text);

/* Another program that makes this file and has it open and locked until it is killed. */
struct store_holder;
struct store_holder *store_hold(const char *path);
void store_kill(struct store_holder *holder);

#endif
