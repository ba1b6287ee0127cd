/*
 * Mends what a killed program left torn at the end of a file (common/torn_end.h), and
 * finds out who else has it open. Private to the implementation of
 * collector/platform/output_file.h, which says what is done when. Called are, once, one of the
 * looks, mend, and the end of the look.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H

#include "collector/platform/output_file.h"

/* Whether anybody has a file open for writing. */
enum file_writers { WRITERS_NONE, WRITERS_SOME, WRITERS_UNKNOWN };

struct torn_line_look {
    int reader; /* descriptor; -1: there is nothing to look at, or it failed */
    int failed; /* errno where it did; else 0 */
    enum file_writers others;
};

/* Looks at what `path` names before we open it for writing, and so are a writer ourselves. */
void torn_line_look(struct torn_line_look *look, const char *path);

/* The same of a file that we have open for writing: who else has, its locks alone can say. */
void torn_line_look_again(struct torn_line_look *look, const char *path);

/*
 * Mends the regular file `fd`, open for appending (`format` NULL: a file of lines), and marks it as
 * written by a program of ours as long as it is open. Returns NULL, or why it could not be put
 * right: a text that may be changed by the next call.
 */
const char *torn_line_mend(const struct torn_line_look *look, int fd,
                           const struct output_file_format *format,
                           struct output_file_start *start);

/* Only judges what it reads. Returns NULL, or why the file is not to be appended to. */
const char *torn_line_judge(const struct torn_line_look *look,
                            const struct output_file_format *format,
                            struct output_file_start *start);

void torn_line_look_end(struct torn_line_look *look);

#endif
