/*
 * The program's own files, and files that are written under a temporary name.
 *
 * A port provides both. The lock of a part file ends when the process that holds it ends.
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
 * A file with state of the program, which is read and written at any offset. No call leaves memory
 * allocated: struct data_file is the system's handle.
 *
 * Lifecycle: make or open, read and write, close. One thread at a time. The caller keeps other
 * programs from using the file (struct part_file has locks). Other programs may remove or rename it
 * while it is open. This program closes the file before removing it, as Windows requires.
 */

struct data_file {
    intptr_t handle; /* the system's handle */
};

enum data_file_result {
    DATA_FILE_DONE,
    DATA_FILE_TAKEN,   /* the name exists already (make only) */
    DATA_FILE_MISSING, /* no regular file has the name (open only) */
    DATA_FILE_FULL,    /* no room: disk, quota or limit; `error` says which */
    DATA_FILE_FAILED,  /* any other error, as `error` says. A retry may succeed */
};

/* Makes a new file that only its owner may open (mode 0600). Never returns MISSING. */
enum data_file_result data_file_make(const char *path, struct data_file *out, struct error *error);

/*
 * Opens a regular file. Returns DONE, MISSING (also for a symbolic link, a folder or a pipe) or
 * FAILED.
 */
enum data_file_result data_file_open(const char *path, struct data_file *out, struct error *error);

/*
 * Like data_file_open, but follows a symbolic link. For a user's file, which must stay where it is.
 */
enum data_file_result data_file_open_linked(const char *path, struct data_file *out,
                                            struct error *error);

/* Stores the file's size in bytes in *size. Returns false with `error` filled. */
bool data_file_size(struct data_file file, uint64_t *size, struct error *error);

/*
 * Reads up to `size` bytes at `offset`. *got is the number of bytes read, less than `size` only at
 * the end of the file. Returns false with `error` filled.
 */
bool data_file_read(struct data_file file, uint64_t offset, void *bytes, size_t size, size_t *got,
                    struct error *error);

/* The most pieces of one write. */
#define DATA_FILE_PIECES_MAX 16

/*
 * Writes the pieces one after another from `offset` on. Returns DONE, FULL or FAILED. After FULL or
 * FAILED a part of the bytes may have been written; the caller writes to the same offset again, or
 * cuts the file there.
 */
enum data_file_result data_file_write(struct data_file file, uint64_t offset,
                                      const struct text *pieces, size_t count, struct error *error);

/* Cuts the file after its first `size` bytes. Returns false with `error` filled. */
bool data_file_cut(struct data_file file, uint64_t size, struct error *error);

/* Flushes written data to the disk. Returns false with `error` filled. */
bool data_file_sync(struct data_file file, struct error *error);

void data_file_close(struct data_file file);

/* --- made under a temporary name -------------------------------------------------------------- */

/*
 * A file that is written under a temporary name and renamed when it is complete.
 *
 * Lifecycle: open (a new file, or one that an earlier run left), append, then complete, remove or
 * close; each of these three ends it. An open file is locked, so that several programs (or this
 * program, started twice) do not touch each other's files. One thread at a time.
 */

struct part_file;

enum part_result {
    PART_DONE,
    PART_TAKEN,   /* the name exists already (open_new, complete) */
    PART_LOCKED,  /* another program is writing it (open_left) */
    PART_MISSING, /* it was moved or removed (open_left, complete) */
    PART_BUSY,    /* another program must close it first: on Windows, or on a Windows file server.
                     `error` says why */
    PART_SHORT,   /* no descriptors or no memory at the moment (open_left); `error` says which */
    PART_REFUSED, /* this path cannot be created, though others below the same folder may be
                     (open_new): `error` says why */
    PART_FAILED,  /* `error` says why */
};

/*
 * Makes a new file with this mode (file_system.h). The folder named by the first `base_length`
 * bytes of the path must exist. Missing folders below it are created, with search permission for
 * all that can read the file, less the umask. Returns PART_DONE, PART_TAKEN, PART_BUSY (a removed
 * file of that name is still open), PART_REFUSED (the name is too long, or a folder below that
 * folder is a file or is not writable) or PART_FAILED.
 */
enum part_result part_file_open_new(const char *path, size_t base_length, unsigned mode,
                                    struct part_file **out, struct error *error);

/* Like part_file_open_new, for a file that no other user may open: mode 0600, folders 0700. */
enum part_result part_file_open_private(const char *path, size_t base_length,
                                        struct part_file **out, struct error *error);

/*
 * Opens an existing regular file. Returns PART_DONE, PART_LOCKED, PART_MISSING, PART_BUSY,
 * PART_SHORT or PART_FAILED.
 */
enum part_result part_file_open_left(const char *path, struct part_file **out, struct error *error);

/* Returns the size in bytes when the file was last opened, checked or appended to. */
uint64_t part_file_size(const struct part_file *file);

/*
 * Returns true if the file's path still names this file. On Linux also returns true if the system
 * does not report whether it does.
 */
bool part_file_is_there(struct part_file *file);

/*
 * Appends all bytes, or leaves the file without any of them. Returns false with `error` filled on
 * failure. A part that was written before the failure is cut off at once or, if that fails too,
 * before the next append.
 */
bool part_file_append(struct part_file *file, const void *bytes, size_t size, struct error *error);

/*
 * Reads up to `size` bytes at `offset`. Returns the number of bytes read; it is below `size` at the
 * end of the file and after an error.
 */
size_t part_file_read(struct part_file *file, uint64_t offset, void *bytes, size_t size);

/* Returns true if a part of a failed append is still in the file. */
bool part_file_is_torn(const struct part_file *file);

/* Cuts the file after `size` bytes. Returns false with `error` filled. */
bool part_file_cut(struct part_file *file, uint64_t size, struct error *error);

/*
 * Flushes complete appends to the disk, not the torn part of a failed one. Returns false with
 * `error` filled.
 */
bool part_file_sync(struct part_file *file, struct error *error);

/*
 * Renames the file to `name` unless that name exists. Returns PART_DONE, and closes the file then,
 * or PART_TAKEN, PART_MISSING, PART_BUSY or PART_FAILED: the file keeps its name and its lock, and
 * stays open.
 */
enum part_result part_file_complete(struct part_file *file, const char *name, struct error *error);

/*
 * Closes the file, and removes it if its path still names it. Returns false with `error` filled if
 * the path still names the file afterwards.
 */
bool part_file_remove(struct part_file *file, struct error *error);

/* Closes the file without changing it. NULL is allowed. */
void part_file_close(struct part_file *file);

#endif
