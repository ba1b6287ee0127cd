/*
 * A torn end of a file is a line without its newline, or a part of a record, that a killed program
 * left. These functions find it and decide what to do with it, as output_file.h describes. A port
 * supplies the reading and cutting, and finds out whether another program writes the file. Only for
 * implementations of collector/platform/output_file.h.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_TORN_END_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_TORN_END_H

#include "collector/platform/output_file.h"

extern const char torn_file_changes[]; /* "it changes while it is read" */

/* Milliseconds between two checks whether a killed predecessor has ended. */
#define TORN_END_PAUSE_MS 10

/* Returns true if the check should be repeated after `waited_ms` milliseconds. */
bool torn_end_is_patient(unsigned waited_ms);

/*
 * For tests, called before other threads open files: the time to wait for the end of a killed
 * predecessor, in milliseconds. A busy machine may need more than the program's 400.
 */
void torn_end_set_patience(unsigned milliseconds);

/*
 * Operations on one open regular file, given by `context`. Those that return a text return NULL on
 * success, or the reason of their failure; the next call may change that text.
 */
struct torn_file_ops {
    const char *(*size)(void *context, uint64_t *size);

    /* Reads `size` bytes at `offset`; torn_file_changes if the file has become shorter. */
    const char *(*read)(void *context, uint64_t offset, void *bytes, size_t size);

    /* Cuts the file after its first `kept` bytes; false if its size is no longer `size`. */
    bool (*cut)(void *context, uint64_t size, uint64_t kept);

    /* Appends a newline. */
    const char *(*end_line)(void *context);
};

/*
 * Stores in *start what torn_end_mend would do. Returns NULL, or why the file must not be appended
 * to. torn_end_mend does the same check first.
 */
const char *torn_end_judge(const struct torn_file_ops *ops, void *context,
                           const struct output_file_format *format,
                           struct output_file_start *start);

/*
 * Repairs the file. `format` NULL: the file has lines of any kind. `sole_writer`: no other program
 * writes to the file. Returns NULL, or why the file could not be repaired; the next call may change
 * that text.
 */
const char *torn_end_mend(const struct torn_file_ops *ops, void *context, bool sole_writer,
                          const struct output_file_format *format, struct output_file_start *start);

/* Fills `error` with the text `why` of torn_end_mend. Returns -1. */
int torn_end_not_mended(const char *path, const struct output_file_format *format, const char *why,
                        struct error *error);

#endif
