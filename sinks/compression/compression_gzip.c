/*
 * Compresses to gzip (RFC 1952), with zlib. Level 3 compresses JSON lines (of the tests' captures
 * and of sluice-send), in blocks of 64 KiB, to between 1/16 and 1/43 of their size, at 0.55 to 1.2
 * GB/s. Level 4 takes twice the time for 7 to 11 % less output.
 *
 * A gzip member does not contain its length. sluice adds the length of each member that it writes
 * in an extra field, which other programs ignore (section 2.3.1.1): SI1 'S', SI2 'L', 4 bytes, the
 * length of the member, least significant byte first. A member without this field is decompressed
 * to find its end.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "sinks/compression/frame_walk.h"

#define LEVEL        3
#define GZIP_WINDOW  (16 + MAX_WBITS) /* windowBits: gzip format, 32 KiB window */
#define MEMORY_LEVEL 8                /* zlib's default */

/*
 * Room for zlib's states for compressing and decompressing (268 KiB and 40 KiB in zlib 1.2.13), and
 * a reserve for other versions.
 */
#define ARENA_SIZE ((size_t)384 * 1024)

#define PIECE_SIZE ((size_t)32 * 1024)

/*
 * The header of each member: the 10 bytes of RFC 1952, section 2.3.1, then XLEN and the extra
 * field.
 */
#define HEADER_SIZE   20
#define LENGTH_AT     16 /* offset of the 4 bytes of the length */
#define EXTRA_SIZE    8
#define SMALLEST_SIZE (HEADER_SIZE + 2 + 8) /* header, no compressed data, trailer */
#define OS_UNKNOWN    255

struct arena {
    size_t used;
    _Alignas(16) unsigned char bytes[ARENA_SIZE];
};

struct gzip_compression {
    struct compression compression;
    z_stream deflating;
    z_stream inflating;
    gz_header header;
    unsigned char extra[EXTRA_SIZE];
    unsigned char in[PIECE_SIZE];
    unsigned char out[PIECE_SIZE];
    struct arena arena;
};

static size_t memory(void)
{
    return sizeof(struct gzip_compression);
}

/* --- zlib's memory ---------------------------------------------------------------------------- */

static void *gzip_take(void *opaque, uInt items, uInt size)
{
    struct arena *arena = opaque;
    size_t bytes = ((size_t)items * size + 15) / 16 * 16;
    if (bytes > ARENA_SIZE - arena->used)
        return NULL;
    arena->used += bytes;
    return arena->bytes + arena->used - bytes;
}

/* Does nothing: blocks are never reused, and all are freed with the arena. */
static void give_back(void *opaque, void *block)
{
    (void)opaque;
    (void)block;
}

static void destroy(struct compression *compression)
{
    free(compression);
}

static struct compression *create(void)
{
    struct gzip_compression *gzip = malloc(sizeof *gzip);
    if (gzip == NULL)
        return NULL;
    const z_stream stream = {.zalloc = gzip_take, .zfree = give_back, .opaque = &gzip->arena};
    static const unsigned char extra[EXTRA_SIZE] = {'S', 'L', 4, 0};
    gzip->compression.ops = &compression_gzip;
    gzip->arena.used = 0;
    gzip->deflating = stream;
    gzip->inflating = stream;
    gzip->header = (gz_header){.os = OS_UNKNOWN, .extra = gzip->extra, .extra_len = EXTRA_SIZE};
    memcpy(gzip->extra, extra, sizeof extra);
    if (deflateInit2(&gzip->deflating, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) == Z_OK &&
        inflateInit2(&gzip->inflating, GZIP_WINDOW) == Z_OK)
        return &gzip->compression;
    destroy(&gzip->compression);
    return NULL;
}

/* --- compress --------------------------------------------------------------------------------- */

static size_t bound(size_t size)
{
    return compressBound((uLong)size) + SMALLEST_SIZE;
}

static void put_length(unsigned char *member, size_t length)
{
    for (int i = 0; i < 4; i++)
        member[LENGTH_AT + i] = (unsigned char)(length >> 8 * i & 0xff);
}

static uint32_t length_of(const unsigned char *header)
{
    uint32_t length = 0;
    for (int i = 0; i < 4; i++)
        length |= (uint32_t)header[LENGTH_AT + i] << 8 * i;
    return length;
}

static size_t compress_member(struct compression *compression, const void *in, size_t size,
                              void *out, size_t capacity)
{
    struct gzip_compression *gzip = (struct gzip_compression *)compression;
    z_stream *stream = &gzip->deflating;
    if (size > COMPRESSION_INPUT_MAX || deflateReset(stream) != Z_OK ||
        deflateSetHeader(stream, &gzip->header) != Z_OK)
        return 0;
    stream->next_in = in;
    stream->avail_in = (uInt)size;
    stream->next_out = out;
    stream->avail_out = capacity < UINT_MAX ? (uInt)capacity : UINT_MAX;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return 0;
    put_length(out, stream->total_out);
    return stream->total_out;
}

/* --- whole ------------------------------------------------------------------------------------ */

/* Decompresses the member that begins at `offset`. Returns its end, or 0 if it is not complete. */
static uint64_t inflate_through(struct gzip_compression *gzip, struct frame_walk *walk,
                                uint64_t offset)
{
    z_stream *stream = &gzip->inflating;
    int result = inflateReset(stream);
    stream->avail_in = 0;
    while (result == Z_OK) {
        if (stream->avail_in == 0) {
            size_t size = frame_walk_read_some(walk, offset, gzip->in, PIECE_SIZE);
            if (size == 0)
                return 0;
            stream->next_in = gzip->in;
            stream->avail_in = (uInt)size;
            offset += size;
        }
        stream->next_out = gzip->out;
        stream->avail_out = PIECE_SIZE;
        result = inflate(stream, Z_NO_FLUSH);
    }
    return result == Z_STREAM_END ? offset - stream->avail_in : 0;
}

static bool is_ours(const unsigned char header[HEADER_SIZE])
{
    static const unsigned char begin[] = {0x1f, 0x8b, 8, 4};
    static const unsigned char extra[] = {EXTRA_SIZE, 0, 'S', 'L', 4, 0};
    return memcmp(header, begin, sizeof begin) == 0 &&
           memcmp(header + 10, extra, sizeof extra) == 0;
}

static uint64_t end(struct compression *compression, struct frame_walk *walk, uint64_t offset)
{
    unsigned char header[HEADER_SIZE];
    if (!frame_walk_read(walk, offset, header, sizeof header) || !is_ours(header))
        return inflate_through((struct gzip_compression *)compression, walk, offset);
    uint32_t length = length_of(header);
    if (length < SMALLEST_SIZE || length > walk->file->size - offset)
        return 0;
    return offset + length;
}

static bool is_sound(struct compression *compression, struct frame_walk *walk, uint64_t begin,
                     uint64_t end)
{
    return inflate_through((struct gzip_compression *)compression, walk, begin) == end;
}

static int64_t whole(struct compression *compression, const struct compression_file *file)
{
    static const struct frame_format format = {.end = end, .is_sound = is_sound};
    return frame_walk_whole(&format, compression, file);
}

const struct compression_ops compression_gzip = {
    .name = "gzip",
    .library = "zlib",
    .magic = {0x1f, 0x8b, 8}, /* RFC 1952, section 2.3.1 */
    .version = zlibVersion,
    .memory = memory,
    .create = create,
    .destroy = destroy,
    .bound = bound,
    .compress = compress_member,
    .whole = whole,
};
