/*
 * Tests that libzstd reads the frames that this program writes, and this program reads frames of
 * libzstd.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "tests/support/sinks/compressed.h"
#include "tests/support/test.h"

TEST(frames_decompress_to_what_went_in)
{
    static const size_t sizes[] = {0, 1, 700, 262144, 262145, COMPRESSION_INPUT_MAX};
    struct compression *zstd = compression_zstd.create();
    struct compressed all = {0}, expected = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *lines = compressed_lines(sizes[i]);
        size_t begin = all.size;
        compressed_add_frame(&all, zstd, lines, sizes[i]);
        compressed_add(&expected, lines, sizes[i]);
        assert_int_equal(ZSTD_getFrameContentSize(all.bytes + begin, all.size - begin), sizes[i]);
        /* The flag for a checksum is set (RFC 8878, 3.1.1.1.1). */
        assert_true((all.bytes[begin + 4] & 4) != 0);
        free(lines);
    }
    unsigned char *out = malloc(expected.size);
    assert_non_null(out);
    assert_int_equal(ZSTD_decompress(out, expected.size, all.bytes, all.size), expected.size);
    assert_memory_equal(out, expected.bytes, expected.size);
    free(out);
    compressed_free(&all);
    compressed_free(&expected);
    zstd->ops->destroy(zstd);
}

/* Adds a frame as another program would write it. The frame does not have the size of its data. */
static size_t add_foreign(struct compressed *file, size_t size, int window_log, int checksum)
{
    char *lines = compressed_lines(size);
    char *frame = malloc(ZSTD_compressBound(size));
    assert_non_null(frame);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_inBuffer in = {lines, size, 0};
    ZSTD_outBuffer out = {frame, ZSTD_compressBound(size), 0};
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    compressed_add(file, frame, out.pos);
    free(frame);
    free(lines);
    return file->size;
}

static size_t add_skippable(struct compressed *file, unsigned char size)
{
    unsigned char frame[8 + 255] = {0x53, 0x2a, 0x4d, 0x18, size};
    memset(frame + 8, 0xfd, size);
    compressed_add(file, frame, 8 + (size_t)size);
    return file->size;
}

TEST(frames_of_other_programs_are_frames)
{
    struct compression *zstd = compression_zstd.create();
    struct compressed file = {0};
    size_t ends[6];
    ends[0] = add_foreign(&file, 3000, 10, 0);
    ends[1] = add_skippable(&file, 40);
    ends[2] = add_foreign(&file, 5000, 17, 1);
    char *lines = compressed_lines(1000);
    ends[3] = compressed_add_frame(&file, zstd, lines, 1000);
    ends[4] = add_foreign(&file, 2000, 23, 0);
    ends[5] = add_skippable(&file, 0);
    compressed_assert_cuts(&file, zstd, ends, 6);
    free(lines);
    compressed_free(&file);
    zstd->ops->destroy(zstd);
}

TEST(a_frame_is_decompressed_to_its_end_however_short_it_is)
{
    struct compression *zstd = compression_zstd.create();
    struct compressed file = {0};
    add_foreign(&file, 250000, 17, 0); /* ends with a block, without a checksum */
    assert_int_equal(compressed_whole(&file, file.size, zstd), file.size);
    char *same = malloc(1000000);
    assert_non_null(same);
    memset(same, 'a', 1000000);
    /* For such data, zstd writes blocks that repeat one byte. */
    compressed_add_frame(&file, zstd, same, 1000000);
    assert_int_equal(compressed_whole(&file, file.size, zstd), file.size);
    free(same);
    compressed_free(&file);
    zstd->ops->destroy(zstd);
}

TEST(of_a_frame_with_a_window_above_ours_the_length_alone_counts)
{
    struct compression *zstd = compression_zstd.create();
    struct compressed file = {0};
    size_t first = add_foreign(&file, 5000, 18, 1);
    file.bytes[file.size - 1] ^= 1;
    assert_int_equal(compressed_whole(&file, file.size, zstd), 0);
    file.bytes[file.size - 1] ^= 1;
    size_t second = add_foreign(&file, 5000, 19, 1);
    file.bytes[file.size - 1] ^= 1;
    assert_int_equal(compressed_whole(&file, file.size, zstd), second);
    assert_int_equal(compressed_whole(&file, file.size - 1, zstd), first);
    compressed_free(&file);
    zstd->ops->destroy(zstd);
}
