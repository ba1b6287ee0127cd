/* Tests the rules that all compressions follow, for each one that is built in. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sinks/compressed.h"
#include "tests/support/test.h"

/* --- counting calls of malloc ----------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static bool counting;
static size_t calls;
static size_t taken; /* bytes */

static void note(size_t size)
{
    calls += counting;
    taken += counting ? size : 0;
}

void *__wrap_malloc(size_t size)
{
    note(size);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    note(count * size);
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    note(size);
    return __real_realloc(block, size);
}

static void count_calls(void)
{
    counting = true;
    calls = taken = 0;
}

/* --- each compression ------------------------------------------------------------------------- */

static void with_each(void (*test)(struct compression *compression))
{
    for (size_t i = 0; builtin_compressions[i] != NULL; i++) {
        struct compression *compression = builtin_compressions[i]->create();
        assert_non_null(compression);
        assert_ptr_equal(compression->ops, builtin_compressions[i]);
        test(compression);
        compression->ops->destroy(compression);
    }
}

static const size_t sizes[] = {0,      1,      2,      100,     4095,    65536,  131072,
                               131073, 262144, 262145, 1000000, 2097151, 2097152};
static const size_t size_count = sizeof sizes / sizeof sizes[0];

static void take_no_memory(struct compression *compression)
{
    char *lines = compressed_lines(COMPRESSION_INPUT_MAX);
    size_t capacity = compression->ops->bound(COMPRESSION_INPUT_MAX);
    struct compressed file = {.bytes = malloc(capacity)};
    count_calls();
    for (size_t i = 0; i < size_count; i++) {
        file.size = compression->ops->compress(compression, lines, sizes[i], file.bytes, capacity);
        assert_int_equal(compressed_whole(&file, file.size, compression), file.size);
    }
    counting = false;
    assert_int_equal(calls, 0);
    compressed_free(&file);
    free(lines);
}

TEST(nothing_is_allocated_after_creation)
{
    with_each(take_no_memory);
}

TEST(a_context_takes_the_memory_that_it_says)
{
    for (size_t i = 0; builtin_compressions[i] != NULL; i++) {
        count_calls();
        struct compression *compression = builtin_compressions[i]->create();
        counting = false;
        assert_non_null(compression);
        assert_int_equal(taken, compression->ops->memory());
        assert_in_range(taken, 1, 1024 * 1024);
        compression->ops->destroy(compression);
    }
}

static void fit_random_bytes(struct compression *compression)
{
    unsigned char *bytes = malloc(COMPRESSION_INPUT_MAX);
    assert_non_null(bytes);
    for (size_t i = 0; i < COMPRESSION_INPUT_MAX; i++)
        bytes[i] = (unsigned char)compressed_random();
    for (size_t i = 0; i < size_count; i++) {
        struct compressed file = {0};
        compressed_add_frame(&file, compression, bytes, sizes[i]);
        assert_int_equal(compressed_whole(&file, file.size, compression), file.size);
        compressed_free(&file);
    }
    free(bytes);
}

TEST(a_frame_of_any_bytes_fits_in_its_bound)
{
    with_each(fit_random_bytes);
}

static void refuse_what_does_not_fit(struct compression *compression)
{
    char *lines = compressed_lines(COMPRESSION_INPUT_MAX + 1);
    struct compressed file = {0}, again = {0};
    compressed_add_frame(&file, compression, lines, 5000);
    unsigned char *out = malloc(2 * COMPRESSION_INPUT_MAX);
    assert_non_null(out);
    for (size_t capacity = 0; capacity < file.size; capacity++)
        assert_int_equal(compression->ops->compress(compression, lines, 5000, out, capacity), 0);
    assert_int_equal(compression->ops->compress(compression, lines, COMPRESSION_INPUT_MAX + 1, out,
                                                2 * COMPRESSION_INPUT_MAX),
                     0);
    compressed_add_frame(&again, compression, lines, 5000);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
    compressed_free(&file);
    compressed_free(&again);
    free(out);
    free(lines);
}

TEST(what_does_not_fit_is_refused_and_the_next_one_is_not)
{
    with_each(refuse_what_does_not_fit);
}

/* --- files of frames -------------------------------------------------------------------------- */

enum { FRAMES = 4 };

static void make_file(struct compressed *file, struct compression *compression, size_t ends[FRAMES])
{
    static const size_t of_lines[FRAMES] = {300, 1, 20000, 6000};
    for (size_t i = 0; i < FRAMES; i++) {
        char *lines = compressed_lines(of_lines[i]);
        ends[i] = compressed_add_frame(file, compression, lines, of_lines[i]);
        free(lines);
    }
}

static void cut_everywhere(struct compression *compression)
{
    struct compressed file = {0};
    size_t ends[FRAMES];
    make_file(&file, compression, ends);
    compressed_assert_cuts(&file, compression, ends, FRAMES);
    compressed_free(&file);
}

TEST(a_file_cut_anywhere_is_whole_up_to_its_last_frame)
{
    with_each(cut_everywhere);
}

static void cut_a_large_frame(struct compression *compression)
{
    struct compressed file = {0};
    char *lines = compressed_lines(COMPRESSION_INPUT_MAX);
    size_t first = compressed_add_frame(&file, compression, lines, COMPRESSION_INPUT_MAX);
    compressed_add_frame(&file, compression, lines, COMPRESSION_INPUT_MAX);
    assert_int_equal(compressed_whole(&file, file.size, compression), file.size);
    for (size_t size = first; size < file.size; size += 1 + (file.size - first) / 97)
        assert_int_equal(compressed_whole(&file, size, compression), first);
    assert_int_equal(compressed_whole(&file, file.size - 1, compression), first);
    compressed_free(&file);
    free(lines);
}

TEST(a_frame_of_many_blocks_is_whole_or_not)
{
    with_each(cut_a_large_frame);
}

static void cut_what_is_after(struct compression *compression)
{
    struct compressed file = {0};
    size_t ends[FRAMES];
    make_file(&file, compression, ends);
    size_t whole = file.size;
    static const unsigned char zeros[5000];
    compressed_add(&file, zeros, sizeof zeros);
    for (size_t size = whole; size <= file.size; size++)
        assert_int_equal(compressed_whole(&file, size, compression), whole);
    for (size_t round = 0; round < 300; round++) {
        for (size_t i = whole; i < file.size; i++)
            file.bytes[i] = (unsigned char)compressed_random();
        size_t size = whole + compressed_random() % (file.size - whole);
        assert_int_equal(compressed_whole(&file, size, compression), whole);
    }
    compressed_free(&file);
}

TEST(zeros_and_random_bytes_after_the_last_frame_are_none)
{
    with_each(cut_what_is_after);
}

static void damage_the_last_frame(struct compression *compression)
{
    enum { HEADER = 20 }; /* changes in the first bytes of a gzip header may have no effect */
    struct compressed file = {0};
    size_t ends[FRAMES];
    make_file(&file, compression, ends);
    memset(file.bytes + ends[2] + (file.size - ends[2]) / 2, 0, 64);
    assert_int_equal(compressed_whole(&file, file.size, compression), ends[2]);

    /*
     * The bytes are random. In ordinary lines, a changed byte could have no effect, because it
     * could refer to an equal text.
     */
    unsigned char bytes[2000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)compressed_random();
    file.size = ends[2];
    size_t before = ends[2];
    compressed_add_frame(&file, compression, bytes, sizeof bytes);
    for (size_t i = before + HEADER; i < file.size; i++) {
        file.bytes[i] ^= 0x5a;
        if (compressed_whole(&file, file.size, compression) != (int64_t)before)
            fail_msg("%s: byte %zu is wrong, and the frame is taken for whole",
                     compression->ops->name, i - before);
        file.bytes[i] ^= 0x5a;
    }
    assert_int_equal(compressed_whole(&file, file.size, compression), file.size);
    compressed_free(&file);
}

TEST(a_last_frame_with_wrong_bytes_in_it_is_none)
{
    with_each(damage_the_last_frame);
}

static void damage_the_last_frames(struct compression *compression, size_t frames, size_t damaged)
{
    struct compressed file = {0};
    size_t whole = 0;
    for (size_t i = 0; i < frames; i++) {
        char *lines = compressed_lines(20);
        size_t end = compressed_add_frame(&file, compression, lines, 20);
        if (i < frames - damaged)
            whole = end;
        else
            file.bytes[end - 1] ^= 0xff; /* a byte of the frame's checksum or length */
        free(lines);
    }
    assert_int_equal(compressed_whole(&file, file.size, compression), whole);
    assert_int_equal(compressed_whole(&file, file.size - 1, compression), whole);
    compressed_free(&file);
}

static void damage_several_frames(struct compression *compression)
{
    damage_the_last_frames(compression, 5, 2);
    damage_the_last_frames(compression, 5, 5);
    damage_the_last_frames(compression, 700, 255);
    damage_the_last_frames(compression, 700, 256);
    damage_the_last_frames(compression, 700, 600);
    damage_the_last_frames(compression, 700, 700);
}

TEST(of_several_last_frames_with_wrong_bytes_in_them_each_is_none)
{
    with_each(damage_several_frames);
}

static void look_at_damage(struct compression *compression)
{
    struct compressed file = {0};
    size_t ends[FRAMES];
    make_file(&file, compression, ends);
    for (size_t round = 0; round < 3000; round++) {
        size_t at = compressed_random() % file.size;
        unsigned char was = file.bytes[at];
        file.bytes[at] = (unsigned char)compressed_random();
        int64_t whole = compressed_whole(&file, file.size, compression);
        assert_in_range(whole, 0, file.size);
        file.bytes[at] = was;
    }
    assert_int_equal(compressed_whole(&file, file.size, compression), file.size);
    compressed_free(&file);
}

TEST(damage_anywhere_does_no_harm)
{
    with_each(look_at_damage);
}

static void look_at_others(struct compression *compression)
{
    struct compressed file = {0};
    assert_int_equal(compressed_whole(&file, 0, compression), 0);
    char *lines = compressed_lines(100000);
    compressed_add(&file, lines, 100000);
    assert_int_equal(compressed_whole(&file, file.size, compression), 0);
    free(lines);
    compressed_free(&file);
}

TEST(nothing_and_plain_text_hold_no_frame)
{
    with_each(look_at_others);
}

static void fail_to_read(struct compression *compression)
{
    struct compressed file = {.broken = true};
    size_t ends[FRAMES];
    make_file(&file, compression, ends);
    assert_int_equal(compressed_whole(&file, file.size, compression), -1);
    compressed_free(&file);
}

TEST(a_file_that_cannot_be_read_is_not_taken_for_an_empty_one)
{
    with_each(fail_to_read);
}

static void compress_after_looking(struct compression *compression)
{
    char *lines = compressed_lines(300000);
    struct compressed first = {0}, second = {0};
    compressed_add_frame(&first, compression, lines, 300000);
    assert_int_equal(compressed_whole(&first, first.size, compression), first.size);
    assert_int_equal(compressed_whole(&first, first.size - 1, compression), 0);
    compressed_add_frame(&second, compression, lines, 300000);
    assert_int_equal(second.size, first.size);
    assert_memory_equal(second.bytes, first.bytes, first.size);
    compressed_free(&first);
    compressed_free(&second);
    free(lines);
}

TEST(looking_into_a_file_does_not_change_what_comes_next)
{
    with_each(compress_after_looking);
}
