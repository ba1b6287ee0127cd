/*
 * A line without its end that a killed program left at the end of a file: found and mended when
 * the file is opened again. Private to the implementation of collector/output_file.h, which says
 * what is done when. Each of the functions is called once, in this order.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_TORN_LINE_H

#include "collector/output_file.h"

/* Whether anybody has a file open for writing. */
enum file_writers { WRITERS_NONE, WRITERS_SOME, WRITERS_UNKNOWN };

struct torn_line_look {
    int reader; /* descriptor; -1: there is nothing to look at */
    enum file_writers others;
};

/* Looks at what `path` names before we open it for writing, and so are a writer ourselves. */
void torn_line_look(struct torn_line_look *look, const char *path);

/*
 * Mends the regular file `fd`, open for appending, and marks it as written by a program of ours as
 * long as it is open. Returns 0, or -1 with errno set where it could not be put right.
 */
int torn_line_mend(const struct torn_line_look *look, int fd, struct output_file_start *start);

void torn_line_look_end(struct torn_line_look *look);

#endif
