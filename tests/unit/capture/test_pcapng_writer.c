/* Tests writing pcapng: its bytes, reading it back, and the detection of whole blocks. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/capture/capture_file.h"
#include "collector/capture/pcapng_writer.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define RAW 101

static uint8_t bytes[512 * 1024];
static size_t size;
static size_t ends[16]; /* offset of the end of each block */
static size_t count;

static int set_up(void **state)
{
    size = count = 0;
    return scratch_make(state);
}

static void put_section(void)
{
    pcapng_write_section(bytes + size, RAW);
    ends[count++] = size + 28;
    ends[count++] = size += PCAPNG_SECTION_SIZE;
}

static void put_packet(const char *data, size_t length, int64_t time_ns, const char *comment)
{
    struct pcapng_packet packet = {.time_ns = time_ns,
                                   .captured = strlen(data),
                                   .length = length,
                                   .comment = comment,
                                   .comment_size = strlen(comment)};
    memcpy(bytes + size + PCAPNG_PACKET_HEAD, data, strlen(data));
    ends[count++] = size += pcapng_write_packet(bytes + size, &packet);
}

static void assert_next(struct capture_file *file, const char *data, size_t length, int64_t time_ns)
{
    struct capture_frame frame;
    struct error error = {.text = ""};
    if (capture_file_next(file, &frame, &error) != CAPTURE_FILE_FRAME)
        fail_msg("no frame: %s", error.text);
    assert_int_equal(frame.captured, strlen(data));
    assert_memory_equal(frame.data, data, strlen(data));
    assert_int_equal(frame.length, length);
    assert_int_equal(frame.link_type, RAW);
    assert_true(frame.time_ns == time_ns);
}

TEST_WITH(our_reader_finds_what_was_written, set_up, scratch_remove)
{
    (void)state;
    const int64_t late = INT64_C(1795265481422084524);
    put_section();
    put_packet("", 0, 0, "");
    put_packet("a", 1, late, "c");
    put_packet("abcd", 2000, late + 1, "malformed");
    put_section(); /* as if another run had appended to the file */
    put_packet("abcdefghijk", 11, INT64_MAX, "four");
    put_packet("abc", 3, -5, "before 1970");
    scratch_put("file", (const char *)bytes, size);
    struct capture_file *file;
    struct capture_frame frame;
    struct error error;
    assert_int_equal(capture_file_open(scratch_path("file"), &file, &error), 0);
    assert_next(file, "", 0, 0);
    assert_next(file, "a", 1, late);
    assert_next(file, "abcd", 2000, late + 1);
    assert_next(file, "abcdefghijk", 11, INT64_MAX);
    assert_next(file, "abc", 3, 0);
    assert_int_equal(capture_file_next(file, &frame, &error), CAPTURE_FILE_END);
    capture_file_close(file);
}

/* The expected fields follow sections 4.1 to 4.3 of the pcapng draft. */
TEST_WITH(every_byte_is_as_the_draft_says, set_up, scratch_remove)
{
    (void)state;
    static const uint8_t expected[] = {
        0x0a, 0x0d, 0x0d, 0x0a, 28,   0,    0,    0,    0x4d, 0x3c, 0x2b, 0x1a, 1, 0,  0,
        0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 28,   0,    0,    0, /* section */
        1,    0,    0,    0,    32,   0,    0,    0,    101,  0,    0,    0,    0, 0,  0,
        0,    9,    0,    1,    0,    9,    0,    0,    0,    0,    0,    0,    0, 32, 0,
        0,    0,    6,    0,    0,    0,    48,   0,    0,    0,    0,    0,    0, 0, /* packet */
        1,    0,    0,    0,    2,    0,    0,    0,    3,    0,    0,    0,    9, 0,  0,
        0,    'a',  'b',  'c',  0,    1,    0,    2,    0,    'h',  'i',  0,    0, 0,  0,
        0,    0,    48,   0,    0,    0,
    };
    put_section();
    put_packet("abc", 9, INT64_C(0x100000002), "hi");
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

TEST_WITH(the_bounds_hold_the_longest_packet_and_comment, set_up, scratch_remove)
{
    (void)state;
    static char comment[PCAPNG_COMMENT_MAX];
    struct pcapng_packet packet = {.captured = PCAPNG_PACKET_MAX - 3,
                                   .length = PCAPNG_PACKET_MAX,
                                   .comment = comment,
                                   .comment_size = sizeof comment};
    size_t block = pcapng_write_packet(bytes, &packet);
    assert_true(block <= PCAPNG_PACKET_HEAD + packet.captured + PCAPNG_PACKET_TAIL);
}

TEST_WITH(a_file_that_was_cut_anywhere_is_whole_up_to_a_block, set_up, scratch_remove)
{
    (void)state;
    put_section();
    put_packet("abc", 3, 1, "first");
    put_section();
    put_packet("abcd", 4, 1, "");
    for (size_t cut = 1; cut <= size; cut++) {
        size_t expected = 0;
        for (size_t i = 0; i < count && ends[i] <= cut; i++)
            expected = ends[i];
        bool foreign = true;
        assert_int_equal(pcapng_whole(bytes, cut, true, &foreign), expected);
        assert_false(foreign);
    }
    bool foreign = true;
    assert_int_equal(pcapng_whole(bytes + ends[1], size - ends[1], false, &foreign),
                     size - ends[1]);
    assert_false(foreign);
}

static void assert_foreign(size_t whole)
{
    bool foreign = false;
    assert_int_equal(pcapng_whole(bytes, size, true, &foreign), whole);
    assert_true(foreign);
}

TEST_WITH(what_is_no_block_is_foreign, set_up, scratch_remove)
{
    (void)state;
    static const char json[] = "{\"time\":\"2026-11-21T06:43:36.380583035Z\",\"name\":\"cpu\"}\n";
    memcpy(bytes, json, sizeof json);
    size = sizeof json;
    assert_foreign(0);
    size = count = 0;
    put_section();
    bytes[8] ^= 0xff; /* invalid byte-order magic */
    assert_foreign(0);
    for (size_t i = 0; i < 2; i++) {
        /* Offsets of the two length fields of a packet block. */
        static const size_t lengths[] = {4, 40};
        size = count = 0;
        put_section();
        put_packet("abc", 3, 1, "");
        bytes[ends[1] + lengths[i]] ^= 8;
        assert_foreign(ends[1]);
    }
    size = count = 0;
    put_section();
    memset(bytes + size, 0, 12); /* a block with the length 0 */
    size += 12;
    assert_foreign(PCAPNG_SECTION_SIZE);
}

/*
 * A whole block of another kind is accepted. A torn one counts as foreign, so that the file is left
 * as it is.
 */
TEST_WITH(a_torn_block_that_we_never_write_is_foreign, set_up, scratch_remove)
{
    (void)state;
    static const uint8_t name_resolution[16] = {4, 0, 0, 0, 16, 0, 0, 0, [12] = 16};
    put_section();
    memcpy(bytes + size, name_resolution, sizeof name_resolution);
    size += sizeof name_resolution;
    bool foreign = true;
    assert_int_equal(pcapng_whole(bytes, size, true, &foreign), size);
    assert_false(foreign);
    size--;
    assert_foreign(PCAPNG_SECTION_SIZE);
}

TEST_WITH(damaged_files_are_walked_without_a_step_beyond_them, set_up, scratch_remove)
{
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 40000; round++) {
        size = count = 0;
        put_section();
        put_packet("abc", 3, 1, "first");
        put_packet("abcd", 4, 1, "");
        for (int i = 0; i < 3; i++) {
            random = random * 1664525 + 1013904223;
            bytes[(random >> 8) % size] = (uint8_t)(random >> 24);
        }
        size = (random >> 12) % size + 1;
        /* Allocated with the exact size, so that a sanitizer detects reads past the end. */
        uint8_t *exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        bool foreign;
        size_t whole = pcapng_whole(exact, size, true, &foreign);
        assert_true(whole <= size);
        if (whole != 0 && whole != size)
            assert_int_equal(pcapng_whole(exact + whole, size - whole, false, &foreign), 0);
        free(exact);
    }
}
