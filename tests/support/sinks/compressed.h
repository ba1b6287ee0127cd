/*
 * Files of frames, in memory: made, cut and looked into. Each function fails the running cmocka
 * test where it cannot do what it says.
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
    bool broken; /* a read gets a byte less than it wants */
};

/* The next of a row of numbers that is always the same. */
uint64_t compressed_random(void);

/* `size` bytes of lines that compress well, each time different ones. Freed by the caller. */
char *compressed_lines(size_t size);

/* Appends bytes. */
void compressed_add(struct compressed *file, const void *bytes, size_t size);

/* Appends a frame of `in` in memory of exactly its bound. Returns where it ends. */
size_t compressed_add_frame(struct compressed *file, struct compression *compression,
                            const void *in, size_t size);

/* The result of `whole` for the first `size` bytes, read in pieces of at most 64 KiB. */
int64_t compressed_whole(const struct compressed *file, size_t size,
                         struct compression *compression);

/* That each prefix of the file is whole up to the last of the `count` `ends` in it. */
void compressed_assert_cuts(const struct compressed *file, struct compression *compression,
                            const size_t *ends, size_t count);

void compressed_free(struct compressed *file);

#endif
