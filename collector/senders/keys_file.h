/*
 * Reads a file with the keys of senders (sender_keys.h) into memory, and passes its lines to a
 * function.
 *
 * Lifecycle: open, walk, close. One thread. Closing clears the memory.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_KEYS_FILE_H
#define SLUICE_COLLECTOR_SENDERS_KEYS_FILE_H

#include <stddef.h>

#include "collector/base/error.h"
#include "collector/senders/sender_key_line.h"

struct keys_file {
    const char *path;
    char *bytes;
    size_t size, room;
};

/*
 * Reads the file, and checks its owner and permissions (input_file_exposure). Returns 0, or -1 with
 * `error` filled (EXIT_CODE_CONFIG). `path` is not copied.
 */
int keys_file_open(const char *path, struct keys_file *out, struct error *error);
void keys_file_close(struct keys_file *file);

/*
 * Returns the largest number of keys that the file can have: its number of lines, from 1 to
 * SENDER_KEYS_MOST.
 */
size_t keys_file_lines(const struct keys_file *file);

/*
 * Calls `visit` for each line with a key. `visit` returns NULL, or a fault as a constant text.
 * Returns 0, or -1 with `error` filled: "FILE: line 3: FAULT".
 */
int keys_file_each(const struct keys_file *file,
                   const char *(*visit)(void *context, const struct sender_key_line *line),
                   void *context, struct error *error);

#endif
