/*
 * A file of this program alone, which it reads and writes at any offset: its state, not a user's
 * data. Nothing is remembered between calls but the system's handle, so no call allocates memory
 * that stays.
 *
 * Lifecycle: make or open, read and write, close. One thread at a time. Who keeps others from the
 * file is the caller (collector/platform/part_file.h has locks); others may remove or rename it
 * while it is open, and whoever removes it himself closes it first: Windows wants that.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DATA_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/text/text.h"

struct data_file {
    intptr_t handle; /* the system's */
};

enum data_file_result {
    DATA_FILE_DONE,
    DATA_FILE_TAKEN,   /* something has this name already (of make) */
    DATA_FILE_MISSING, /* no regular file has it (of open) */
    DATA_FILE_FULL,    /* there is no room: the disk, a quota or a limit; `error` says which */
    DATA_FILE_FAILED,  /* anything else; `error` says what. It may work later */
};

/* Makes a file that is not there yet, for its owner alone (mode 0600). Never MISSING. */
enum data_file_result data_file_make(const char *path, struct data_file *out, struct error *error);

/* Opens a regular file; a link to one, a folder or a pipe is none. DONE, MISSING or FAILED. */
enum data_file_result data_file_open(const char *path, struct data_file *out, struct error *error);

/* Bytes in it. Returns false with `error` filled. */
bool data_file_size(struct data_file file, uint64_t *size, struct error *error);

/*
 * Reads up to `size` bytes at `offset`; *got says how many, fewer only at its end. Returns false
 * with `error` filled where the system cannot read them.
 */
bool data_file_read(struct data_file file, uint64_t offset, void *bytes, size_t size, size_t *got,
                    struct error *error);

/* Pieces that are written together, at most. */
#define DATA_FILE_PIECES_MAX 16

/*
 * Writes the pieces one after the other from `offset` on. DONE, FULL or FAILED. After the last two
 * a part of them may have been written: the same place can be written again, or cut off.
 */
enum data_file_result data_file_write(struct data_file file, uint64_t offset,
                                      const struct text *pieces, size_t count, struct error *error);

/* Makes it end after its first `size` bytes. Returns false with `error` filled. */
bool data_file_cut(struct data_file file, uint64_t size, struct error *error);

/* Makes what was written reach the disk. Returns false with `error` filled. */
bool data_file_sync(struct data_file file, struct error *error);

void data_file_close(struct data_file file);

#endif
