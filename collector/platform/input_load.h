/*
 * Small files that are read whole: configuration, secrets, properties. All functions return in a
 * bounded time, whatever the path names.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_INPUT_LOAD_H
#define SLUICE_COLLECTOR_PLATFORM_INPUT_LOAD_H

#include <stddef.h>

#include "collector/base/error.h"

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
