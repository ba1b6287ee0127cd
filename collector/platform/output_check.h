/*
 * Whether files can be written before any is opened: what a start would fail at is found without
 * making or changing anything. Any thread.
 *
 * It asks for the rights of the process as they are (of its effective user). A later open may fail
 * all the same: the answer is as old as the question.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_OUTPUT_CHECK_H
#define SLUICE_COLLECTOR_PLATFORM_OUTPUT_CHECK_H

#include "collector/base/error.h"

/*
 * Whether the file `path` can be opened to be written, or can be made where it is not there.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int output_check_file(const char *path, struct error *error);

/* Whether files can be made in the folder `path`, or beside the file `path`. Returns as above. */
int output_check_folder(const char *path, struct error *error);
int output_check_beside(const char *path, struct error *error);

#endif
