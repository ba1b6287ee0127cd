/*
 * Builds, cuts and checks files of compressed frames in memory. An error fails the running cmocka
 * test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_COMPRESSED_H
#define SLUICE_TESTS_SUPPORT_SINKS_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinks/compression/compressions.h"

/* A file in memory. Freed by compressed_free. */
struct compressed {
    unsigned char *bytes;
    size_t size;
    bool broken; /* if set, a read returns one byte less than requested */
};

/* Returns the next pseudorandom number. The sequence is the same in each run. */
uint64_t compressed_random(void);

/*
 * Returns `size` bytes of lines that compress well and differ from call to call. The caller frees
 * them.
 */
char *compressed_lines(size_t size);

void compressed_add(struct compressed *file, const void *bytes, size_t size);

/*
 * Compresses `in` into a buffer of exactly its bound, and appends the frame. Returns the frame's
 * end in the file.
 */
size_t compressed_add_frame(struct compressed *file, struct compression *compression,
                            const void *in, size_t size);

/*
 * Calls the compression's `whole` for the first `size` bytes of the file, and returns its result.
 * `whole` reads in pieces of at most 64 KiB.
 */
int64_t compressed_whole(const struct compressed *file, size_t size,
                         struct compression *compression);

/*
 * For each beginning of the file, asserts that `whole` returns the end of the last complete frame
 * in it. `ends` has the ends of all `count` frames.
 */
void compressed_assert_cuts(const struct compressed *file, struct compression *compression,
                            const size_t *ends, size_t count);

void compressed_free(struct compressed *file);

#endif
