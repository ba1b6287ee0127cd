/*
 * Compression of files: each piece of whole lines becomes one frame, which can be decompressed by
 * itself. A sequence of frames is a valid file of the format `name`, also when the file is cut
 * between two frames.
 *
 * An interface that sinks/ implements, one file for each library
 * (sinks/compression/compressions.h). Call create, then compress and whole in any order, then
 * destroy. One thread at a time. Only create allocates memory.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_COMPRESSION_H
#define SLUICE_COLLECTOR_CONTRACT_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

/* The maximum number of input bytes of one frame. */
#define COMPRESSION_INPUT_MAX ((size_t)2 * 1024 * 1024)

#define COMPRESSION_MAGIC_SIZE ((size_t)3)

struct compression_ops;

/* The first member of every implementation. */
struct compression {
    const struct compression_ops *ops;
};

/* A file to inspect, read through the caller's function. */
struct compression_file {
    /*
     * Reads `size` bytes at `offset`; the range is inside the file. Returns the number of bytes
     * read, which is less than `size` after a read error.
     */
    size_t (*read)(void *context, uint64_t offset, void *bytes, size_t size);
    void *context;
    uint64_t size; /* bytes */
};

struct compression_ops {
    const char *name;                            /* the value of compress= */
    const char *library;                         /* the library's name */
    unsigned char magic[COMPRESSION_MAGIC_SIZE]; /* the bytes at the beginning of every frame */

    /* Returns the version that the linked library reports. */
    const char *(*version)(void);

    /* Returns the number of bytes that create allocates. */
    size_t (*memory)(void);

    /* Returns NULL if memory is short. */
    struct compression *(*create)(void);
    void (*destroy)(struct compression *compression);

    /*
     * Returns an upper bound of a frame's size for `size` input bytes (at most
     * COMPRESSION_INPUT_MAX).
     */
    size_t (*bound)(size_t size);

    /*
     * Writes one frame with a checksum and returns its size. Returns 0, with `out` undefined, if
     * `size` exceeds COMPRESSION_INPUT_MAX or the frame exceeds `capacity`.
     */
    size_t (*compress)(struct compression *compression, const void *in, size_t size, void *out,
                       size_t capacity);

    /*
     * Returns the number of bytes at the front of a file that are consecutive whole frames: 0 for
     * an empty file or another format, -1 if the file cannot be read. Finds the ends of the frames
     * first, from the lengths in their headers if the format has them, and reads the file in
     * bounded pieces. Then decompresses frames from the last one backwards until a checksum is
     * right, because a crash damages the last frames. If a frame needs more memory than the frames
     * of this program, only its length is checked.
     */
    int64_t (*whole)(struct compression *compression, const struct compression_file *file);
};

#endif
