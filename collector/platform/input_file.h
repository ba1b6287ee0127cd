/*
 * Reading files that may be pipes or devices, without waiting for their writers.
 *
 * A port provides struct input_file. Reading a small file whole (input_load) is built on it, in the same
 * way on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_INPUT_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * Reading a file by its name, forward only, so that no call but one ever waits for somebody else,
 * and that one can be cancelled.
 *
 * A file is live where reading it can wait for another program or a person: a pipe, a terminal, a
 * socket, a device. It is opened without waiting for its writer, ends when its last writer has
 * gone, and says when it has nothing yet; the reader then calls input_file_wait, having done first
 * what must not wait. Any other file is simply read. What a system cannot wait for in a way that
 * can be cancelled, as Windows its consoles and devices, is not opened there.
 *
 * Lifecycle: open, read and wait, close. One thread reads; any thread cancels.
 */

struct input_file;

enum input_result {
    INPUT_BYTES,      /* some were read */
    INPUT_WOULD_WAIT, /* there is nothing yet, or no writer yet: of a live file only */
    INPUT_END,        /* the file's end, or its last writer has gone */
    INPUT_CANCELLED,  /* input_file_cancel was called: there is nothing more to come */
    INPUT_FAILED,     /* `error` is filled */
};

/*
 * Finds out about `path` without opening it, because that alone would let a pipe's writer go on,
 * into nothing. Returns 0 and whether it is live in *live, or -1 with `error` filled
 * (EXIT_CODE_BAD_INPUT): there is no such file, it may not be read, it is a directory, or it is
 * none that can be waited for.
 */
int input_file_look(const char *path, bool *live, struct error *error);

/*
 * Opens `path`. Returns 0, or -1 with `error` filled: as above, or EXIT_CODE_INTERNAL without the
 * memory or the descriptors that it takes beside the file. The caller closes it.
 */
int input_file_open(const char *path, struct input_file **out, struct error *error);

bool input_file_is_live(const struct input_file *file);

/* Bytes that it had when it was opened; 0: it is live, or has none. */
uint64_t input_file_size(const struct input_file *file);

/*
 * Reads up to `size` (≥ 1) bytes; *got says how many after INPUT_BYTES. A failure's error
 * (EXIT_CODE_BAD_INPUT) gives the system's reason alone: the caller knows what was being read.
 */
enum input_result input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                                  struct error *error);

/*
 * Of a live file: waits until a read would return something else than INPUT_WOULD_WAIT. May return
 * early, as when a signal was handled: read again.
 */
void input_file_wait(struct input_file *file);

/* The same, for at most `milliseconds`, which are fewer than 2^31. */
void input_file_wait_for(struct input_file *file, unsigned milliseconds);

/*
 * Any thread, and a signal's handler: from now on every read is INPUT_CANCELLED, and a wait
 * returns. Again and again is as good as once.
 */
void input_file_cancel(struct input_file *file);

/* Nobody may be about to cancel it. NULL is allowed. */
void input_file_close(struct input_file *file);

/* --- small files, read whole ------------------------------------------------------------------ */

/*
 * Small files that are read whole: configuration, secrets, properties. All functions return in a
 * bounded time, whatever the path names.
 */

/* How long the writer of a pipe or a device has, for all of it, before it is refused. */
#define INPUT_LOAD_SECONDS 3

/*
 * Reads the file to its end, but at most `size` bytes of it: where *length is `size`, it may have
 * more. A pipe may be read, too. Returns 0, or -1 with `error` filled (EXIT_CODE_BAD_INPUT, or
 * EXIT_CODE_INTERNAL), which names the path.
 */
int input_load(const char *path, void *bytes, size_t size, size_t *length, struct error *error);

/*
 * For a path that a library is going to open, which would wait for a pipe's writer: whether it is a
 * file that can be read. Returns 0, or -1 with `error` filled, which names the path.
 */
int input_load_check(const char *path, struct error *error);

/*
 * For a file that a library will open next: opens it as this program opens its own (user_expect),
 * and reads its first byte without waiting. Returns 0, or -1 with `error` filled.
 */
int input_load_probe(const char *path, struct error *error);

/*
 * input_load_check of the file that the key of a URL names; NULL: the key is not given. `error` is
 * EXIT_CODE_CONFIG and begins with the key.
 */
int input_load_check_key(const char *key, const char *path, struct error *error);

/* input_load_probe, in the same way. */
int input_load_probe_key(const char *key, const char *path, struct error *error);

#endif
