/*
 * Reading files that may be pipes or devices, without waiting for their writers.
 *
 * A port provides struct input_file. Reading a small file whole (input_load) is built on it and is
 * the same on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_INPUT_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * Reads a file by its name, forward only. Only input_file_wait ever waits for another program, and
 * another thread can cancel it.
 *
 * A file is live if a read from it may have to wait for another program or a person: a pipe, a
 * terminal, a socket, a device. A live file is opened without waiting for its writer, and ends when
 * its last writer has closed it. A read that finds no data yet returns INPUT_WOULD_WAIT; the reader
 * then does its other work, and calls input_file_wait. Other files are read without waiting. A file
 * for which the system has no cancellable wait, such as a console or a device on Windows, is not
 * opened.
 *
 * Lifecycle: open, read and wait, close. One thread reads; any thread cancels.
 */

struct input_file;

enum input_result {
    INPUT_BYTES,      /* at least one byte was read */
    INPUT_WOULD_WAIT, /* a live file has no data, or no writer, yet */
    INPUT_END,        /* the end of the file, or its last writer has closed it */
    INPUT_CANCELLED,  /* input_file_cancel was called: no more data comes */
    INPUT_FAILED,     /* `error` is filled */
};

/*
 * Checks `path` without opening it: an open would let a pipe's writer continue, and what it writes
 * would be lost. Returns 0 and sets *live, or -1 with `error` filled (EXIT_CODE_BAD_INPUT): the
 * file does not exist, is not readable, is a directory, or cannot be waited for.
 */
int input_file_look(const char *path, bool *live, struct error *error);

/*
 * Opens `path`; the caller closes it. Returns 0, or -1 with `error` filled as input_file_look does,
 * or with EXIT_CODE_INTERNAL if memory or descriptors are short.
 */
int input_file_open(const char *path, struct input_file **out, struct error *error);

bool input_file_is_live(const struct input_file *file);

/* Returns the file's size in bytes when it was opened; 0 for a live file. */
uint64_t input_file_size(const struct input_file *file);

/*
 * Returns true if the size or the modification time of the opened file differs from when it was
 * opened. A new file under the same name is not a change of the opened file. Returns false for a
 * live file, or if the system does not report the size and the time.
 */
bool input_file_has_changed(const struct input_file *file);

/* The other users that could read or change a file that contains secrets. */
enum input_exposure {
    EXPOSURE_NONE,
    EXPOSURE_OTHERS, /* users other than its owner and its group may open it */
    EXPOSURE_GROUP,  /* users of its group may change it */
    EXPOSURE_OWNER,  /* its owner is neither this user nor root */
};

/*
 * Returns the exposure of a regular file. On Windows, which has no such modes, always
 * EXPOSURE_NONE.
 */
enum input_exposure input_file_exposure(const struct input_file *file);

/*
 * Reads up to `size` (≥ 1) bytes; *got is the number of bytes read after INPUT_BYTES. The error of
 * a failure (EXIT_CODE_BAD_INPUT) has only the system's reason: the caller knows the file's name.
 */
enum input_result input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                                  struct error *error);

/*
 * For a live file only: waits until a read would not return INPUT_WOULD_WAIT. May return early, for
 * example after a signal.
 */
void input_file_wait(struct input_file *file);

/* Like input_file_wait, for at most `milliseconds`, fewer than 2^31. */
void input_file_wait_for(struct input_file *file, unsigned milliseconds);

/*
 * Ends the reading: from now on every read returns INPUT_CANCELLED, and a wait returns at once. May
 * be called repeatedly. Any thread, and signal handlers.
 */
void input_file_cancel(struct input_file *file);

/* Closes the file. No thread may cancel it after this call has begun. NULL is allowed. */
void input_file_close(struct input_file *file);

/* --- small files, read whole ------------------------------------------------------------------ */

/*
 * Small files that are read whole: configuration, secrets, properties. Every function returns
 * within a bounded time, whatever the path names.
 */

/* Seconds that the writer of a pipe or a device has to deliver the whole file. */
#define INPUT_LOAD_SECONDS 3

/*
 * Reads the file to its end, but at most `size` bytes: if *length is `size`, the file may be
 * longer. The file may be a pipe. Returns 0, or -1 with `error` filled (EXIT_CODE_BAD_INPUT or
 * EXIT_CODE_INTERNAL), also if the file was changed while it was read; the error names the path.
 */
int input_load(const char *path, void *bytes, size_t size, size_t *length, struct error *error);

/*
 * Checks that a path is a file that can be read, before a library opens it: the library would wait
 * for a pipe's writer. Returns 0, or -1 with `error` filled; the error names the path.
 */
int input_load_check(const char *path, struct error *error);

/*
 * Opens a file as this program opens its own (user_expect) and reads its first byte without
 * waiting, before a library opens it. Returns 0, or -1 with `error` filled.
 */
int input_load_probe(const char *path, struct error *error);

/*
 * Does input_load_check for the file that a key of a URL names, unless `path` is NULL. `error` has
 * EXIT_CODE_CONFIG and begins with the key.
 */
int input_load_check_key(const char *key, const char *path, struct error *error);

/* Does the same with input_load_probe. */
int input_load_probe_key(const char *key, const char *path, struct error *error);

#endif
