/*
 * Reads, locks and replaces the file of a seal state (seal_state.h). The file is read and replaced
 * as a whole.
 *
 * One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_FILE_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

struct part_file;

struct seal_file {
    char *path, *next, *lock_path, *folder; /* paths: FILE, FILE.new, FILE.lock, and the folder of
                                             * FILE */
    struct part_file *lock;
};

/* Returns 0, or -1 with `error` filled. Call seal_file_close in either case. */
int seal_file_open(struct seal_file *file, const char *path, struct error *error);
void seal_file_close(struct seal_file *file);

/*
 * Keeps other programs from using the file until it is closed. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int seal_file_lock(struct seal_file *file, struct error *error);

/*
 * Reads the file, and checks its owner and permissions (input_file_exposure). *bytes becomes NULL
 * if there is no file; otherwise the caller frees it. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int seal_file_read(const struct seal_file *file, uint8_t **bytes, size_t *size,
                   struct error *error);

/*
 * Replaces the file. After a crash the file has either its old content or the new one. Returns 0
 * when the content is on disk, or -1 with `error` filled (EXIT_CODE_IO).
 */
int seal_file_write(const struct seal_file *file, const uint8_t *bytes, size_t size,
                    struct error *error);

#endif
