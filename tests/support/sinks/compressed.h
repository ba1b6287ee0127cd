/*
 * Files of compressed frames in memory: they are made, cut and examined. Each function fails the
 * running cmocka test if it does not succeed.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_COMPRESSED_H
#define SLUICE_TESTS_SUPPORT_SINKS_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinks/compression/compressions.h"

/* A file that grows. Freed by compressed_free. */
struct compressed {
    unsigned char *bytes;
    size_t size;
    bool broken; /* a read returns one byte fewer than requested */
};

/* The next random number; the sequence is the same in each run. */
uint64_t compressed_random(void);

/* `size` bytes of lines that compress well and differ from call to call. The caller frees them. */
char *compressed_lines(size_t size);

/* Appends bytes. */
void compressed_add(struct compressed *file, const void *bytes, size_t size);

/*
 * Appends a frame of `in`, compressed into memory of exactly its bound. Returns the frame's end in
 * the file.
 */
size_t compressed_add_frame(struct compressed *file, struct compression *compression,
                            const void *in, size_t size);

/*
 * Calls `whole` for the first `size` bytes, which it reads in pieces of at most 64 KiB. Returns its
 * result.
 */
int64_t compressed_whole(const struct compressed *file, size_t size,
                         struct compression *compression);

/* Asserts that for each prefix of the file `whole` returns the last of the `count` `ends` in it. */
void compressed_assert_cuts(const struct compressed *file, struct compression *compression,
                            const size_t *ends, size_t count);

void compressed_free(struct compressed *file);

#endif
