/*
 * Compression of what is written to files: pieces of whole lines become frames, each complete in
 * itself. Frames one after the other are a file of the format that `name` says, which every program
 * for that format reads from front to end; a file that is cut between two frames is whole.
 *
 * An interface that sinks/ implements, one file for each library
 * (sinks/compression/compressions.h). Lifecycle: create, compress and look at files in any order,
 * destroy. One thread at a time. All memory is taken by create.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_COMPRESSION_H
#define SLUICE_COLLECTOR_CONTRACT_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

/* The most that goes into one frame, in bytes. */
#define COMPRESSION_INPUT_MAX ((size_t)2 * 1024 * 1024)

#define COMPRESSION_MAGIC_SIZE ((size_t)3)

struct compression_ops;

/* Every implementation begins with this. */
struct compression {
    const struct compression_ops *ops;
};

/* A file to look into, of a caller who knows how it is read. */
struct compression_file {
    /*
     * Reads `size` bytes from `offset` on, all of them inside the file. Returns how many it got;
     * fewer: the file cannot be read.
     */
    size_t (*read)(void *context, uint64_t offset, void *bytes, size_t size);
    void *context;
    uint64_t size; /* bytes */
};

struct compression_ops {
    const char *name;                            /* of compress= */
    const char *library;                         /* that does it */
    unsigned char magic[COMPRESSION_MAGIC_SIZE]; /* what a frame begins with */

    /* The version of the library that is in this program, as it calls it itself. */
    const char *(*version)(void);

    /* Bytes that create takes. */
    size_t (*memory)(void);

    /* Returns NULL where memory is short. */
    struct compression *(*create)(void);
    void (*destroy)(struct compression *compression);

    /* The most bytes that a frame of `size` (at most COMPRESSION_INPUT_MAX) bytes can have. */
    size_t (*bound)(size_t size);

    /*
     * Writes one frame, with a checksum. Returns its bytes, or 0 where `size` is above
     * COMPRESSION_INPUT_MAX or the frame above `capacity`. What it wrote by then is no frame.
     */
    size_t (*compress)(struct compression *compression, const void *in, size_t size, void *out,
                       size_t capacity);

    /*
     * How many bytes at the front of a file are whole frames, as far as they follow each other: 0
     * of an empty file and of one in another format, -1 where it cannot be read. It reads a bounded
     * piece at a time, and takes a frame's own word for its length where it has one. From the end
     * on frames are decompressed and their checksums looked at, until one is sound: the last ones
     * are what a crash leaves undone. Of one that needs more memory to decompress than ours do, the
     * length alone counts.
     */
    int64_t (*whole)(struct compression *compression, const struct compression_file *file);
};

#endif
