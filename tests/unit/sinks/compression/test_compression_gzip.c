/*
 * Tests that zlib reads the members that this program writes, and this program reads members of
 * other writers.
 */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "tests/support/sinks/compressed.h"
#include "tests/support/test.h"

/* Offsets in a gzip member's header, and a flag (RFC 1952, section 2.3). */
enum { FLAGS_AT = 3, LENGTH_AT = 16, HAS_EXTRA = 4 };

static void assert_member_holds(const struct compressed *file, size_t begin, size_t end,
                                const char *text, size_t size)
{
    char *out = malloc(size + 1);
    assert_non_null(out);
    z_stream stream = {.next_in = file->bytes + begin,
                       .avail_in = (uInt)(end - begin),
                       .next_out = (unsigned char *)out,
                       .avail_out = (uInt)size + 1};
    assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, size);
    assert_memory_equal(out, text, size);
    inflateEnd(&stream);
    free(out);
}

static size_t reported_length(const unsigned char *member)
{
    assert_int_equal(member[FLAGS_AT], HAS_EXTRA);
    assert_memory_equal(member + 12, "SL\x04\x00", 4);
    const unsigned char *at = member + LENGTH_AT;
    return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

TEST(members_decompress_to_what_went_in_and_have_their_length)
{
    static const size_t sizes[] = {0, 1, 700, 32768, 262145, COMPRESSION_INPUT_MAX};
    struct compression *gzip = compression_gzip.create();
    struct compressed file = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *lines = compressed_lines(sizes[i]);
        size_t begin = file.size;
        size_t end = compressed_add_frame(&file, gzip, lines, sizes[i]);
        assert_int_equal(reported_length(file.bytes + begin), end - begin);
        assert_member_holds(&file, begin, end, lines, sizes[i]);
        free(lines);
    }
    compressed_free(&file);
    gzip->ops->destroy(gzip);
}

/*
 * Adds a member that zlib writes with this header. If `header` is NULL, the header is as short as
 * possible.
 */
static size_t add_foreign(struct compressed *file, size_t size, gz_header *header)
{
    char *lines = compressed_lines(size);
    unsigned char *member = malloc(size + 1000);
    assert_non_null(member);
    z_stream stream = {.next_in = (unsigned char *)lines,
                       .avail_in = (uInt)size,
                       .next_out = member,
                       .avail_out = (uInt)size + 1000};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY),
                     Z_OK);
    if (header != NULL)
        assert_int_equal(deflateSetHeader(&stream, header), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    compressed_add(file, member, stream.total_out);
    deflateEnd(&stream);
    free(member);
    free(lines);
    return file->size;
}

TEST(members_of_other_programs_are_members)
{
    unsigned char name[] = "name", comment[] = "a comment";
    unsigned char similar[] = {'S', 'M', 4, 0, 1, 0, 0, 0};
    unsigned char longer[] = {'S', 'L', 5, 0, 1, 0, 0, 0, 0};
    gz_header all = {.text = 1, .name = name, .comment = comment, .hcrc = 1};
    gz_header other = {.extra = similar, .extra_len = sizeof similar};
    gz_header others = {.extra = longer, .extra_len = sizeof longer, .name = name};
    struct compression *gzip = compression_gzip.create();
    struct compressed file = {0};
    size_t ends[6];
    char *lines = compressed_lines(1000);
    ends[0] = add_foreign(&file, 3000, NULL);
    ends[1] = add_foreign(&file, 0, &all);
    ends[2] = add_foreign(&file, 400, &other);
    ends[3] = compressed_add_frame(&file, gzip, lines, 1000);
    ends[4] = add_foreign(&file, 1, &others);
    ends[5] = add_foreign(&file, 40000, NULL);
    compressed_assert_cuts(&file, gzip, ends, 6);
    free(lines);
    compressed_free(&file);
    gzip->ops->destroy(gzip);
}

TEST(a_length_that_is_wrong_ends_the_file_there)
{
    struct compression *gzip = compression_gzip.create();
    struct compressed file = {0};
    char *lines = compressed_lines(1000);
    size_t first = compressed_add_frame(&file, gzip, lines, 1000);
    compressed_add_frame(&file, gzip, lines, 1000);
    static const unsigned char wrong[] = {0, 1, 255};
    for (size_t i = 0; i < sizeof wrong; i++)
        for (int byte = 0; byte < 4; byte++) {
            unsigned char *at = file.bytes + first + LENGTH_AT + byte;
            unsigned char was = *at;
            *at = (unsigned char)(was + wrong[i]);
            size_t whole = wrong[i] == 0 ? file.size : first;
            assert_int_equal(compressed_whole(&file, file.size, gzip), whole);
            *at = was;
        }
    /* The member claims a length that is too small for any member. */
    for (unsigned char length = 0; length < 30; length++) {
        memcpy(file.bytes + first + LENGTH_AT, (unsigned char[]){length, 0, 0, 0}, 4);
        assert_int_equal(compressed_whole(&file, file.size, gzip), first);
    }
    free(lines);
    compressed_free(&file);
    gzip->ops->destroy(gzip);
}
