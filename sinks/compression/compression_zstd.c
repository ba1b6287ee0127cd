/*
 * Compresses to zstd (RFC 8878). Level 1 compresses JSON lines (of the tests' captures and of
 * sluice-send), in blocks of 64 KiB, to between 1/20 and 1/71 of their size, at 1.7 to 3.5 GB/s.
 * Level 3, the library's default, gives about the same size and speed, and takes twice the memory.
 */
#include <stdalign.h>
#include <stdlib.h>

/*
 * Declares the functions with which sluice supplies the library's memory. Only the static library
 * has them.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "sinks/compression/frame_walk.h"

#define LEVEL 1

/* The window is 256 KiB. Writers and readers of a frame need memory of this size. */
#define WINDOW_LOG 18

#define PIECE_SIZE ((size_t)32 * 1024)

struct zstd_compression {
    struct compression compression;
    ZSTD_CCtx *compressor; /* in `workspace`, which decompression also uses */
    size_t workspace_size;
    unsigned char in[PIECE_SIZE];
    unsigned char out[PIECE_SIZE];
    alignas(16) unsigned char workspace[];
};

static size_t workspace_size(void)
{
    size_t compressing = ZSTD_estimateCCtxSize(LEVEL);
    size_t decompressing = ZSTD_estimateDStreamSize((size_t)1 << WINDOW_LOG);
    return compressing > decompressing ? compressing : decompressing;
}

static size_t memory(void)
{
    return sizeof(struct zstd_compression) + workspace_size();
}

/* --- compress --------------------------------------------------------------------------------- */

static bool begin_compressing(struct zstd_compression *zstd)
{
    zstd->compressor = ZSTD_initStaticCCtx(zstd->workspace, zstd->workspace_size);
    if (zstd->compressor == NULL)
        return false;
    /* A static compressor begins with zeros instead of the defaults. */
    ZSTD_CCtx_reset(zstd->compressor, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(zstd->compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(zstd->compressor, ZSTD_c_windowLog, WINDOW_LOG);
    ZSTD_CCtx_setParameter(zstd->compressor, ZSTD_c_checksumFlag, 1);
    return true;
}

static void destroy(struct compression *compression)
{
    free(compression);
}

static struct compression *create(void)
{
    struct zstd_compression *zstd = malloc(memory());
    if (zstd == NULL)
        return NULL;
    zstd->compression.ops = &compression_zstd;
    zstd->workspace_size = workspace_size();
    if (begin_compressing(zstd))
        return &zstd->compression;
    destroy(&zstd->compression);
    return NULL;
}

static size_t bound(size_t size)
{
    return ZSTD_compressBound(size);
}

static size_t compress(struct compression *compression, const void *in, size_t size, void *out,
                       size_t capacity)
{
    struct zstd_compression *zstd = (struct zstd_compression *)compression;
    if (size > COMPRESSION_INPUT_MAX)
        return 0;
    size_t result = ZSTD_compress2(zstd->compressor, out, capacity, in, size);
    return ZSTD_isError(result) ? 0 : result;
}

/* --- whole ------------------------------------------------------------------------------------ */

static bool read_header(struct frame_walk *walk, uint64_t offset, ZSTD_frameHeader *header)
{
    unsigned char bytes[ZSTD_FRAMEHEADERSIZE_MAX];
    size_t size = frame_walk_read_some(walk, offset, bytes, sizeof bytes);
    return size != 0 && ZSTD_getFrameHeader(header, bytes, size) == 0;
}

/*
 * Returns the end of the blocks that begin at `offset` (RFC 8878, section 3.1.1.2), or 0 if they
 * are not complete.
 */
static uint64_t end_of_blocks(struct frame_walk *walk, uint64_t offset)
{
    enum { RAW, RUN, COMPRESSED, RESERVED };
    unsigned char bytes[3];
    while (frame_walk_read(walk, offset, bytes, sizeof bytes)) {
        uint32_t header = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
        uint32_t type = header >> 1 & 3;
        uint32_t size = header >> 3;
        if (type == RESERVED || size > ZSTD_BLOCKSIZE_MAX)
            return 0;
        offset += sizeof bytes + (type == RUN ? 1 : size);
        if ((header & 1) != 0)
            return offset;
    }
    return 0;
}

static uint64_t end(struct compression *compression, struct frame_walk *walk, uint64_t offset)
{
    ZSTD_frameHeader header;
    uint64_t end;
    (void)compression;
    if (!read_header(walk, offset, &header))
        return 0;
    if (header.frameType == ZSTD_skippableFrame) {
        end = offset + ZSTD_SKIPPABLEHEADERSIZE + header.frameContentSize;
    } else {
        end = end_of_blocks(walk, offset + header.headerSize);
        if (end != 0 && header.checksumFlag != 0)
            end += 4;
    }
    return end <= walk->file->size ? end : 0;
}

static bool decompresses(struct zstd_compression *zstd, struct frame_walk *walk, uint64_t begin,
                         uint64_t end)
{
    ZSTD_DCtx *stream = ZSTD_initStaticDCtx(zstd->workspace, zstd->workspace_size);
    ZSTD_inBuffer in = {.src = zstd->in};
    size_t left = 1;
    while (stream != NULL && left != 0 && !walk->failed) {
        if (in.pos == in.size) {
            size_t wanted = end - begin < PIECE_SIZE ? (size_t)(end - begin) : PIECE_SIZE;
            in.size = frame_walk_read_some(walk, begin, zstd->in, wanted);
            in.pos = 0;
            begin += in.size;
        }
        ZSTD_outBuffer out = {.dst = zstd->out, .size = PIECE_SIZE};
        left = ZSTD_decompressStream(stream, &out, &in);
        bool goes_on = in.size != 0 || out.pos != 0;
        if (ZSTD_isError(left) || !goes_on)
            return false;
    }
    return left == 0 && begin == end && in.pos == in.size;
}

static bool is_sound(struct compression *compression, struct frame_walk *walk, uint64_t begin,
                     uint64_t end)
{
    struct zstd_compression *zstd = (struct zstd_compression *)compression;
    ZSTD_frameHeader header;
    if (!read_header(walk, begin, &header))
        return false;
    if (header.frameType == ZSTD_skippableFrame || header.windowSize > (size_t)1 << WINDOW_LOG)
        return true;
    bool sound = decompresses(zstd, walk, begin, end);
    return begin_compressing(zstd) && sound;
}

static int64_t whole(struct compression *compression, const struct compression_file *file)
{
    static const struct frame_format format = {.end = end, .is_sound = is_sound};
    return frame_walk_whole(&format, compression, file);
}

const struct compression_ops compression_zstd = {
    .name = "zstd",
    .library = "libzstd",
    .magic = {0x28, 0xb5, 0x2f}, /* RFC 8878, section 3.1.1, without the last byte, 0xfd */
    .version = ZSTD_versionString,
    .memory = memory,
    .create = create,
    .destroy = destroy,
    .bound = bound,
    .compress = compress,
    .whole = whole,
};
