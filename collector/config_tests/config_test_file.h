/*
 * Reads a file of tests in YAML: a part of a configuration, or a separate file.
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
 * The keys are in config_test_keys.h. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FILE_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FILE_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config_tests/config_test.h"

/* The maximum number of tests of a file, items of a list, and lines of an expectation. */
#define CONFIG_TEST_LIST_MAX 10000

/*
 * Reads the file into `file`, which the caller has zeroed. Returns false with `error` filled
 * (EXIT_CODE_CONFIG, "FILE:LINE:COLUMN: ..."), also if it has no tests and names no further files,
 * or in a program without YAML. The caller frees `file` in both cases (config_test_file_free).
 */
bool config_test_file_read(const char *path, struct config_test_file *file, struct error *error);

/*
 * Reads one of the further files that the configuration `config` names. Unlike
 * config_test_file_read, accepts a file without tests.
 */
bool config_test_file_read_part(const char *path, const char *config, struct config_test_file *file,
                                struct error *error);

/*
 * Parses `size` bytes of text, which it copies, as config_test_file_read does; messages use `path`.
 */
bool config_test_file_parse(const char *path, const char *text, size_t size,
                            struct config_test_file *file, struct error *error);

/* Frees the contents and zeroes the struct; does not free the struct. */
void config_test_file_free(struct config_test_file *file);

/*
 * Resolves a path relative to the folder of the file of tests. The caller frees the result; NULL if
 * memory is short.
 */
char *config_test_file_path(const struct config_test_file *file, const char *path);

/*
 * Returns the offset of a mark in the file's text, with YAML's rules for lines and columns. The
 * mark's line may be the line after the last one.
 */
size_t config_test_file_at(const struct config_test_file *file, struct provenance_mark mark);

/* Returns the line end of the file's first line: "\r\n" or "\n". */
const char *config_test_file_line_end(const struct config_test_file *file);

/* Fills `error` for a mark in the file: "FILE:LINE:COLUMN: WHY" (EXIT_CODE_CONFIG). */
void config_test_file_error(const struct config_test_file *file, struct provenance_mark mark,
                            const char *why, struct error *error);

#endif
