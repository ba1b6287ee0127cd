/*
 * Mends what a killed program left torn at the end of a file (common/torn_end.h), and
 * finds out who else has it open: whoever asks for a file that nobody writes to is refused one that
 * somebody does. Private to the implementation of collector/platform/output_file.h, which says what
 * is done when.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_TORN_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_TORN_LINE_H

#include "collector/platform/output_file.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/system_error.h"

/*
 * Mends the file of that path, which we must not have open for writing, if it still is the one of
 * `identity`. It is taken as it is where it cannot be read. Returns NULL, or why it could not be
 * put right: a constant, or a text in *failure.
 */
const char *torn_line_mend(const char *path, const struct file_identity *identity,
                           const struct output_file_format *format, struct output_file_start *start,
                           struct system_error *failure);

/* Only judges it, whatever file the path names. Returns NULL, or why not to append to it. */
const char *torn_line_judge(const char *path, const struct output_file_format *format,
                            struct output_file_start *start, struct system_error *failure);

#endif
