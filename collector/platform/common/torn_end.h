/*
 * The torn end of a file: a line without its newline, or a part of a record, which a killed program
 * left. It is found, and decided what to do about it, in the same way on every operating system;
 * how a file is read and cut, and who else writes to it, is the system's part. Private to
 * the implementations of collector/platform/output_file.h, which says what is done when.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_TORN_END_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_TORN_END_H

#include "collector/platform/output_file.h"

extern const char torn_file_changes[]; /* "it changes while it is read" */

/* Between two looks at whether a killed predecessor has ended. */
#define TORN_END_PAUSE_MS 10

/* Whether to look again after waiting so long. */
bool torn_end_is_patient(unsigned waited_ms);

/*
 * For tests, before other threads open files: how long the end of a killed predecessor is waited
 * for, in milliseconds. A busy machine may need more than the 400 that the program gives it.
 */
void torn_end_set_patience(unsigned milliseconds);

/*
 * The operations on one open regular file, which `context` stands for. Those that return a text
 * return NULL, or why they failed: a text that may be changed by the next call.
 */
struct torn_file_ops {
    /* Bytes that it has. */
    const char *(*size)(void *context, uint64_t *size);

    /* Reads `size` bytes from `offset` on; torn_file_changes where it has not as many any more. */
    const char *(*read)(void *context, uint64_t offset, void *bytes, size_t size);

    /* Takes off what follows its first `kept` bytes; false where it has not `size` any more. */
    bool (*cut)(void *context, uint64_t size, uint64_t kept);

    /* Appends a newline. */
    const char *(*end_line)(void *context);
};

/*
 * Only judges it: *start says what mending does. Returns NULL, or why the file is not to be
 * appended to. torn_end_mend does it first.
 */
const char *torn_end_judge(const struct torn_file_ops *ops, void *context,
                           const struct output_file_format *format,
                           struct output_file_start *start);

/*
 * Mends the file (`format` NULL: one of lines of any kind). `alone`: no other program writes to it.
 * Returns NULL, or why it could not be put right, as above.
 */
const char *torn_end_mend(const struct torn_file_ops *ops, void *context, bool alone,
                          const struct output_file_format *format, struct output_file_start *start);

/* Fills `error` for a file that could not be put right, as torn_end_mend said. Returns -1. */
int torn_end_not_mended(const char *path, const struct output_file_format *format, const char *why,
                        struct error *error);

#endif
