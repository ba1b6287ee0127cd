#include "tests/fuzz/readers/frame.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static uint8_t block[65536]; /* output that is not examined */

static bool gzip_is_sound(const uint8_t *bytes, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    int result = inflateInit2(&stream, 16 + MAX_WBITS);
    while (result == Z_OK) {
        stream.next_out = block;
        stream.avail_out = sizeof block;
        result = inflate(&stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END && stream.avail_in != 0)
            result = inflateReset(&stream);
    }
    inflateEnd(&stream);
    return result == Z_STREAM_END;
}

static bool zstd_is_sound(const uint8_t *bytes, size_t size)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1;
    if (context == NULL)
        abort();
    while (!ZSTD_isError(left) && (in.pos < in.size || left != 0)) {
        ZSTD_outBuffer out = {block, sizeof block, 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(context, &out, &in);
        if (in.pos == before && out.pos == 0)
            break; /* the input ends inside a frame */
    }
    ZSTD_freeDCtx(context);
    return left == 0;
}

bool frames_are_sound(const char *format, const uint8_t *bytes, size_t size)
{
    return strcmp(format, "gzip") == 0 ? gzip_is_sound(bytes, size) : zstd_is_sound(bytes, size);
}
