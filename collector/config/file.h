/*
 * The configuration file: YAML with the options' and the keys' own names.
 *
 * Its top level is a map of options, as the command line calls them, with `listeners` in the place
 * of --listen and `sinks` of --sink: lists, whose items are URLs, or maps of the same keys.
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
 * A list called `files` names more files, or folders of them, which are read after this one, in
 * their order. Their lists are added to those of the files before them; every other option may be
 * given in one file alone.
 *
 * A list called `tests` is not the collector's: `sluice test` reads it (collector/config_tests/).
 *
 * The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_H
#define SLUICE_COLLECTOR_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/config/provenance.h"

/* A larger file is no configuration. */
#define CONFIG_FILE_MAX ((size_t)1 << 20)

/* The list that is for `sluice test` alone. */
#define CONFIG_FILE_TESTS "tests"

/* The list of more files. */
#define CONFIG_FILE_MORE "files"

/* Items that a list of listeners, sinks or schemas may have. */
#define CONFIG_LIST_MAX 1024

/*
 * Reads the file, and those that it names, into entries of `provenance`, which is all zero; names
 * are checked, values are not. Returns false with `error` filled (EXIT_CODE_CONFIG,
 * "FILE:LINE:COLUMN: ..."), also where this program reads no YAML or a file cannot be read; what
 * `provenance` then holds is freed by written_free.
 */
bool config_file_read(const char *path, struct provenance *provenance, struct error *error);

/*
 * Reads the whole file into *bytes, which the caller frees. Returns false with `error` filled
 * (EXIT_CODE_CONFIG: also in a program without YAML; EXIT_CODE_INTERNAL).
 */
bool config_file_load(const char *path, char **bytes, size_t *length, struct error *error);

/* "libyaml 0.2.5", what files are read by; NULL: by nothing. */
const char *config_file_library(void);

#endif
