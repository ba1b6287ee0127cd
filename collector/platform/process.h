/*
 * Running another program to its end and reading what it wrote.
 *
 * For a program that answers and ends, such as a compiler. The caller waits meanwhile, but not for
 * ever: it says how long at most. CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESS_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* What a program may take and write; one that exceeds them is ended. */
struct process_limits {
    size_t bytes;    /* of its standard output */
    int64_t time_ns; /* from its start to its end */
};

enum process_result {
    PROCESS_DONE,      /* it ended with exit code 0 */
    PROCESS_NOT_FOUND, /* there is no such program */
    PROCESS_FAILED,    /* it ended otherwise, was ended, or exceeded a limit */
};

/* What a program wrote; freed by the caller (free), also after a failure. */
struct process_output {
    unsigned char *data;
    size_t size;
};

/*
 * Runs `arguments[0]`, looked up in PATH, with the arguments up to a NULL; its standard input is
 * empty. What it writes to standard output goes to `out`. On PROCESS_FAILED
 * `error` (EXIT_CODE_CONFIG) has the first line that it wrote to standard error and that is no
 * warning, or how it ended.
 */
enum process_result process_run(const char *const *arguments, const struct process_limits *limits,
                                struct process_output *out, struct error *error);

#endif
