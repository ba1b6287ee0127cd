/*
 * The configuration file: YAML with the names of options and keys.
 *
 * Its top level is a map of the command line's options, with the lists `listeners` for --listen and
 * `sinks` for --sink. Their items are URLs, or maps of the same keys.
 *
 *     memory: 32MiB
 *     listeners:
 *       - address: udp://[::]:5555
 *         receive_buffer: 64MiB
 *         schemas:
 *           - schema: riemann
 *             match: source:10.0.0.0/8
 *           - schema: otlp
 *     sinks:
 *       - to: file:/var/log/sluice/samples.ndjson
 *         format: json
 *
 * The list `files` names more files, or folders of files, which are read after this one in that
 * order. Their lists are appended to those of the previous files; every other option may be given
 * in only one file.
 *
 * The list `tests` is ignored by the collector; `sluice test` reads it (collector/config_tests/).
 *
 * Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_H
#define SLUICE_COLLECTOR_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/config/provenance.h"

/* The maximum number of bytes of a file. */
#define CONFIG_FILE_MAX ((size_t)1 << 20)

/* The name of the list of tests, which only `sluice test` reads. */
#define CONFIG_FILE_TESTS "tests"

/* The name of the list of further files to read. */
#define CONFIG_FILE_MORE "files"

/* The maximum number of items in each list: of listeners, of sinks or of schemas. */
#define CONFIG_LIST_MAX 1024

/*
 * Reads the file, and the files that it names, into entries of `provenance`, which the caller has
 * zeroed. Checks names, but not values. Returns false with `error` filled (EXIT_CODE_CONFIG,
 * "FILE:LINE:COLUMN: ..."), also if a file cannot be read or the program was built without YAML.
 * The caller frees `provenance` in both cases (provenance_free).
 */
bool config_file_read(const char *path, struct provenance *provenance, struct error *error);

/*
 * Reads the whole file into *bytes, which the caller frees. Returns false with `error` filled:
 * EXIT_CODE_INTERNAL, or EXIT_CODE_CONFIG, for example if the program was built without YAML.
 */
bool config_file_load(const char *path, char **bytes, size_t *length, struct error *error);

/*
 * Returns the name of the YAML library, "libyaml 0.2.5"; NULL if the program was built without
 * YAML.
 */
const char *config_file_library(void);

#endif
