/*
 * Reads a file of tests: YAML, beside the listeners of a configuration or in a file of its own.
 *
 *     tests:
 *       - name: a gauge becomes a line
 *         input:
 *           json: '{"events":[{"host":"web1","service":"cpu","metric_d":0.75}]}'
 *         expect:
 *           - sink: stdout
 *             lines: |
 *               {"time":...}
 *
 * The keys are in config_test_keys.h. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FILE_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FILE_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config_tests/config_test.h"

/* Tests that a file may have, items of a list in one, and lines of an expectation. */
#define CONFIG_TEST_LIST_MAX 10000

/*
 * Reads the file into `file`, which is all zero. Returns false with `error` filled
 * (EXIT_CODE_CONFIG, "FILE:LINE:COLUMN: ..."), also where it has no tests, and names no more files
 * that may have some, or this program reads no YAML; what `file` then holds is freed by
 * config_test_file_free.
 */
bool config_test_file_read(const char *path, struct config_test_file *file, struct error *error);

/*
 * The same of one of the files that the configuration `config`, which has been read, names: it has
 * tests, or none.
 */
bool config_test_file_read_part(const char *path, const char *config, struct config_test_file *file,
                                struct error *error);

/*
 * The same as config_test_file_read of `size` bytes of text, which are copied; for messages it is
 * called `path`.
 */
bool config_test_file_parse(const char *path, const char *text, size_t size,
                            struct config_test_file *file, struct error *error);

/* Frees all it holds, not the struct itself, and leaves it all zero. */
void config_test_file_free(struct config_test_file *file);

/*
 * A path as it is seen from the folder of the file of tests, to be freed; NULL where memory is
 * short.
 */
char *config_test_file_path(const struct config_test_file *file, const char *path);

/*
 * The byte of the file's text at which a place stands, of which the line may be the one after the
 * last: lines and columns are counted as YAML counts them.
 */
size_t config_test_file_at(const struct config_test_file *file, struct provenance_mark mark);

/*
 * Fills `error` with what is wrong at a place of the file: "FILE:LINE:COLUMN: WHY"
 * (EXIT_CODE_CONFIG).
 */
void config_test_file_error(const struct config_test_file *file, struct provenance_mark mark,
                            const char *why, struct error *error);

#endif
