/*
 * Files of the program's own, and files that are being made under a temporary name.
 *
 * A port provides both, with locks that end when their process does.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DATA_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/text/text.h"

/* --- read and written at any offset ----------------------------------------------------------- */

/*
 * A file of this program alone, which it reads and writes at any offset: its state, not a user's
 * data. Nothing is remembered between calls but the system's handle, so no call allocates memory
 * that stays.
 *
 * Lifecycle: make or open, read and write, close. One thread at a time. Who keeps others from the
 * file is the caller (collector/platform/data_file.h has locks); others may remove or rename it
 * while it is open, and whoever removes it himself closes it first: Windows wants that.
 */

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

/* --- made under a temporary name -------------------------------------------------------------- */

/*
 * A file that is being made under a name of its own and gets its real name when it is complete.
 *
 * Lifecycle: open (a new one, or one that an earlier run left), append, and then one of complete,
 * remove or close: each ends it. As long as it is open it is locked, so that of several programs
 * (this one, started twice) each leaves the files of the living others alone. One thread at a time.
 */

struct part_file;

enum part_result {
    PART_DONE,
    PART_TAKEN,   /* there is such a file already (of open_new, complete) */
    PART_LOCKED,  /* another program is writing it (of open_left) */
    PART_MISSING, /* it is not where it was: moved away, or removed (of open_left, complete) */
    PART_BUSY,    /* until another program has closed it, which keeps all others from that:
                     on Windows, or on a server that is one. `error` says why */
    PART_SHORT,   /* there are no descriptors or no memory for it now (of open_left); `error` says
                     which */
    PART_FAILED,  /* `error` says why */
};

/*
 * Makes a file that is not there yet (mode 0644, less the umask), and its folders below the first
 * `base_length` bytes of the path, which must exist. PART_DONE, PART_TAKEN, PART_BUSY
 * (the name is that of a file that was removed and is still open) or PART_FAILED.
 */
enum part_result part_file_open_new(const char *path, size_t base_length, struct part_file **out,
                                    struct error *error);

/* The same for a file that no other user may open: mode 0600, and 0700 of its folders. */
enum part_result part_file_open_private(const char *path, size_t base_length,
                                        struct part_file **out, struct error *error);

/*
 * Opens a regular file that is there. PART_DONE, PART_LOCKED, PART_MISSING, PART_BUSY,
 * PART_SHORT or PART_FAILED.
 */
enum part_result part_file_open_left(const char *path, struct part_file **out, struct error *error);

/* Bytes in it, when it was last opened, looked for or appended to. */
uint64_t part_file_size(const struct part_file *file);

/* Whether its path still names this file. What cannot be looked at counts as there. */
bool part_file_is_there(struct part_file *file);

/*
 * Appends all of it, or nothing. Returns false with `error` filled. What was written of it until it
 * failed is cut off again, at once or, where that fails too, before the next append.
 */
bool part_file_append(struct part_file *file, const void *bytes, size_t size, struct error *error);

/* Reads up to `size` bytes at `offset`. Returns how many; less at its end, and where that fails. */
size_t part_file_read(struct part_file *file, uint64_t offset, void *bytes, size_t size);

/* Whether more lies in it than is whole: what was written of an append that failed is still there.
 */
bool part_file_is_torn(const struct part_file *file);

/* Cuts it off after `size` bytes. Returns false with `error` filled. */
bool part_file_cut(struct part_file *file, uint64_t size, struct error *error);

/* Makes what is whole of it reach the disk, and nothing else. Returns false with `error` filled. */
bool part_file_sync(struct part_file *file, struct error *error);

/*
 * Gives it its real name, unless there is such a file, and closes it where that was done:
 * PART_DONE, PART_TAKEN, PART_MISSING, PART_BUSY or PART_FAILED, all but the first with nothing
 * renamed and the file as open and as locked as before.
 */
enum part_result part_file_complete(struct part_file *file, const char *name, struct error *error);

/*
 * Closes it and removes it, if its path still names it. Returns false, with `error` filled, where it
 * still does.
 */
bool part_file_remove(struct part_file *file, struct error *error);

/* Closes it and leaves it as it is. NULL is allowed. */
void part_file_close(struct part_file *file);

#endif
