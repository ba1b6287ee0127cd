/*
 * Repairs the torn end that a killed program left in a file (common/torn_end.h), and finds out
 * whether another process has it open for writing: an open that does not share writing then fails.
 * Only for the implementation of collector/platform/output_file.h, which describes the decision.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_TORN_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_TORN_LINE_H

#include "collector/platform/output_file.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/system_error.h"

/*
 * Repairs the file at that path, if it is still the file of `identity`. This process must not have
 * it open for writing. A file that cannot be read is used as it is. Returns NULL, or why the file
 * could not be repaired: a constant, or a text in *failure.
 */
const char *torn_line_mend(const char *path, const struct file_identity *identity,
                           const struct output_file_format *format, struct output_file_start *start,
                           struct system_error *failure);

/*
 * Checks the file at that path without repairing it. Returns NULL, or why it must not be appended
 * to.
 */
const char *torn_line_judge(const char *path, const struct output_file_format *format,
                            struct output_file_start *start, struct system_error *failure);

#endif
