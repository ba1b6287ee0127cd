#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination.h"
#include "collector/output/file_blocks.h"
#include "tests/support/test.h"

#define BLOCKS     8
#define BLOCK_SIZE 100
#define CHUNKS     20
#define CHUNK_SIZE 10

static const struct destination_shape shape = {
    .blocks = BLOCKS, .block_size = BLOCK_SIZE, .chunks = CHUNKS, .chunk_size = CHUNK_SIZE};

static const struct encoded one_line = {.lines = 1};

static struct file_blocks *make(void)
{
    struct file_blocks *blocks = file_blocks_create(&shape);
    assert_non_null(blocks);
    return blocks;
}

static void add(struct file_blocks *blocks, size_t index, const char *text)
{
    assert_true(file_blocks_have_chunks(blocks, index, strlen(text)));
    file_blocks_append(blocks, index, text, strlen(text));
    file_blocks_count(blocks, index, &one_line, 0);
}

static void assert_bytes(struct file_blocks *blocks, size_t index, const char *text)
{
    const struct output *bytes = file_blocks_bytes(blocks, index);
    assert_int_equal(bytes->used, strlen(text));
    assert_memory_equal(bytes->data, text, strlen(text));
}

TEST(a_block_has_the_bytes_of_its_records_in_order)
{
    struct file_blocks *blocks = make();
    add(blocks, 1, "abc");
    add(blocks, 2, "0123456789");
    assert_bytes(blocks, 1, "abc");
    add(blocks, 1, "defghijklmn");
    add(blocks, 2, "x");
    add(blocks, 1, "opqrst");
    assert_bytes(blocks, 1, "abcdefghijklmnopqrst");
    assert_bytes(blocks, 2, "0123456789x");
    assert_int_equal(file_blocks_get(blocks, 1)->records, 3);
    assert_int_equal(file_blocks_get(blocks, 1)->sum.lines, 3);
    file_blocks_destroy(blocks);
}

TEST(an_empty_block_begins_again)
{
    struct file_blocks *blocks = make();
    add(blocks, 1, "abc");
    file_blocks_empty(blocks, 1);
    assert_int_equal(file_blocks_get(blocks, 1)->records, 0);
    assert_int_equal(file_blocks_get(blocks, 1)->size, 0);
    assert_int_equal(file_blocks_get(blocks, 1)->sum.lines, 0);
    assert_int_equal(file_blocks_first(blocks), NO_FILE_BLOCK);
    add(blocks, 1, "d");
    assert_bytes(blocks, 1, "d");
    file_blocks_destroy(blocks);
}

TEST(what_is_in_no_chunk_needs_a_free_one)
{
    struct file_blocks *blocks = make();
    char text[BLOCK_SIZE + 1];
    memset(text, 'x', BLOCK_SIZE);
    text[BLOCK_SIZE] = '\0';
    add(blocks, 0, text);
    add(blocks, 1, text + CHUNK_SIZE);
    assert_true(file_blocks_have_chunks(blocks, 2, CHUNK_SIZE));
    assert_false(file_blocks_have_chunks(blocks, 2, CHUNK_SIZE + 1));
    add(blocks, 2, "abc");
    assert_false(file_blocks_have_chunks(blocks, 3, 1));
    assert_true(file_blocks_have_chunks(blocks, 2, CHUNK_SIZE - 3));
    assert_false(file_blocks_have_chunks(blocks, 2, CHUNK_SIZE - 2));
    file_blocks_empty(blocks, 0);
    assert_true(file_blocks_have_chunks(blocks, 3, BLOCK_SIZE));
    file_blocks_destroy(blocks);
}

TEST(blocks_are_in_the_order_of_their_first_records)
{
    struct file_blocks *blocks = make();
    static const size_t order[] = {5, 0, 3, 7};
    for (size_t i = 0; i < 4; i++)
        add(blocks, order[i], "a");
    add(blocks, 0, "bb");
    file_blocks_empty(blocks, 3);
    static const size_t left[] = {5, 0, 7};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(file_blocks_first(blocks), left[i]);
        file_blocks_empty(blocks, left[i]);
    }
    assert_int_equal(file_blocks_first(blocks), NO_FILE_BLOCK);
    assert_int_equal(file_blocks_largest(blocks), NO_FILE_BLOCK);
    file_blocks_destroy(blocks);
}

TEST(of_equally_large_blocks_the_first_is_the_largest)
{
    struct file_blocks *blocks = make();
    add(blocks, 4, "aa");
    add(blocks, 2, "a");
    add(blocks, 6, "aa");
    assert_int_equal(file_blocks_largest(blocks), 4);
    add(blocks, 2, "aa");
    assert_int_equal(file_blocks_largest(blocks), 2);
    file_blocks_destroy(blocks);
}

/* `model` has the bytes that each block should have. */
TEST(any_sequence_keeps_all_bytes_and_loses_no_chunk)
{
    struct file_blocks *blocks = make();
    char model[BLOCKS][BLOCK_SIZE + 1] = {{0}};
    uint64_t random = 1;
    for (int step = 0; step < 20000; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t index = random >> 61, size = 1 + (random >> 40) % 30;
        char text[40];
        snprintf(text, sizeof text, "%030d", step);
        text[size] = '\0';
        if (strlen(model[index]) + size > BLOCK_SIZE ||
            !file_blocks_have_chunks(blocks, index, size)) {
            size_t victim = file_blocks_largest(blocks);
            assert_bytes(blocks, victim, model[victim]);
            file_blocks_empty(blocks, victim);
            model[victim][0] = '\0';
            continue;
        }
        add(blocks, index, text);
        strcat(model[index], text);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        if (model[i][0] != '\0')
            assert_bytes(blocks, i, model[i]);
    while (file_blocks_first(blocks) != NO_FILE_BLOCK)
        file_blocks_empty(blocks, file_blocks_first(blocks));
    assert_true(file_blocks_have_chunks(blocks, 0, CHUNKS * CHUNK_SIZE));
    assert_false(file_blocks_have_chunks(blocks, 0, CHUNKS * CHUNK_SIZE + 1));
    file_blocks_destroy(blocks);
}
