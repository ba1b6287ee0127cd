/*
 * Repairs the torn end that a killed program left in a file (common/torn_end.h), and finds out
 * whether other programs have the file open. Only for the implementation of
 * collector/platform/output_file.h, which describes the decision. Call order: torn_line_look or
 * torn_line_look_again, torn_line_mend, torn_line_look_end.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H

#include "collector/platform/output_file.h"

/* States whether other processes have the file open for writing. */
enum file_writers { WRITERS_NONE, WRITERS_SOME, WRITERS_UNKNOWN };

struct torn_line_look {
    int reader; /* descriptor; -1: the file is missing, not regular, or not readable, or the look
                   failed */
    int failed; /* errno of the failed look, or 0 */
    enum file_writers others;
};

/*
 * Looks at the file before this process opens it for writing, because it would count as a writer
 * then.
 */
void torn_line_look(struct torn_line_look *look, const char *path);

/*
 * Like torn_line_look, for a file that this process already has open for writing. Only the file's
 * locks show then whether other programs have it open for writing.
 */
void torn_line_look_again(struct torn_line_look *look, const char *path);

/*
 * Repairs the regular file `fd`, which is open for appending. `format` NULL: it has lines of any
 * kind. Also locks the file, as long as it is open, so that other collectors see that it is being
 * written. Returns NULL, or why the file could not be repaired; the next call may change that text.
 */
const char *torn_line_mend(const struct torn_line_look *look, int fd,
                           const struct output_file_format *format,
                           struct output_file_start *start);

/* Checks the file without repairing it. Returns NULL, or why it must not be appended to. */
const char *torn_line_judge(const struct torn_line_look *look,
                            const struct output_file_format *format,
                            struct output_file_start *start);

void torn_line_look_end(struct torn_line_look *look);

#endif
