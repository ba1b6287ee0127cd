/* Tests that a block is written as contiguous bytes and read back. Other bytes are refused. */
#include <stdlib.h>
#include <string.h>

#include "collector/output/delivery_image.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define RECORD_SIZE ((size_t)1000)

static struct buffered_block *made;

static int set_up(void **state)
{
    made = calloc(2, sizeof *made);
    *state = made;
    return made != NULL && buffered_block_make(&made[0], RECORD_SIZE) &&
                   buffered_block_make(&made[1], RECORD_SIZE)
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    buffered_block_free(&made[0]);
    buffered_block_free(&made[1]);
    free(made);
    return 0;
}

static void add(struct buffered_block *buffered, const char *line, const char *key,
                const char *schema, const char *listener)
{
    size_t start = buffered->out.used;
    const struct delivery_addition one = {
        .route = "topic/a",
        .key = (const uint8_t *)key,
        .key_size = strlen(key),
        .schema = schema,
        .listener = listener,
        .counts = {.lines = 1, .samples = 2, .json_fallbacks = 3},
    };
    output_bytes(&buffered->out, line, strlen(line));
    buffered_block_add(buffered, start, &one);
}

/*
 * Fills a block that has a file head and three records. The first record is acknowledged, and the
 * third is maybe_sent.
 */
static void fill(struct buffered_block *buffered)
{
    buffered_block_begin(buffered, "# head\n", 7);
    add(buffered, "first\n", "one", "riemann", "udp://127.0.0.1:5555");
    add(buffered, "", "", "riemann", "udp://127.0.0.1:5556");
    add(buffered, "third\n", "three", "riemann", "udp://127.0.0.1:5555");
    buffered_block_seal(buffered, 70, 0);
    buffered->block.epoch = "0123456789abcdef";
    buffered->block.records[0].done = true;
    buffered->block.records[2].maybe_sent = true;
}

static size_t put(const struct buffered_block *buffered, uint8_t *image)
{
    struct text pieces[DELIVERY_IMAGE_PIECES];
    uint8_t *head = malloc(delivery_image_head_size());
    size_t size = 0;
    assert_non_null(head);
    delivery_image_put(buffered, head, pieces);
    assert_true(pieces[0].size <= delivery_image_head_size());
    for (size_t i = 0; i < DELIVERY_IMAGE_PIECES; i++) {
        memcpy(image + size, pieces[i].data, pieces[i].size);
        size += pieces[i].size;
    }
    free(head);
    return size;
}

TEST_WITH(a_block_comes_back_as_it_was, set_up, tear_down)
{
    (void)state;
    uint8_t image[1000];
    const struct buffered_block *put_in = &made[0];
    struct buffered_block *found = &made[1];
    fill(&made[0]);
    assert_true(delivery_image_get(image, put(put_in, image), found));
    buffered_block_describe(found, 70);
    assert_string_equal(found->block.route, "topic/a");
    assert_string_equal(found->epoch, "0123456789abcdef");
    assert_string_equal(found->block.schema, "riemann");
    assert_null(found->block.listener); /* NULL, because the block has records of two listeners */
    assert_int_equal(found->block.size, put_in->block.size);
    assert_memory_equal(found->block.bytes, put_in->block.bytes, found->block.size);
    assert_memory_equal(found->block.keys, "onethree", 8);
    assert_int_equal(found->block.count, 3);
    assert_int_equal(buffered_block_open_records(found), 2);
    for (size_t i = 0; i < 3; i++) {
        const struct delivery_record *one = &put_in->block.records[i];
        const struct delivery_record *other = &found->block.records[i];
        assert_int_equal(other->offset, one->offset);
        assert_int_equal(other->size, one->size);
        assert_int_equal(other->key, one->key);
        assert_int_equal(other->key_size, one->key_size);
        assert_int_equal(other->lines, 1);
        assert_int_equal(other->done, one->done);
        assert_int_equal(other->maybe_sent, one->maybe_sent);
        assert_int_equal(found->counts[i].samples, 2);
        assert_int_equal(found->counts[i].json_fallbacks, 3);
    }
}

/*
 * Reads the image from a buffer of exactly `size` bytes, so that a sanitizer detects a read past
 * its end.
 */
static bool is_block(const uint8_t *image, size_t size)
{
    struct buffered_block *buffered = &made[1];
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, image, size);
    bool is = delivery_image_get(copy, size, buffered);
    volatile unsigned sum = 0;
    for (size_t i = 0; is && i < buffered->block.count; i++) {
        const struct delivery_record *record = &buffered->block.records[i];
        assert_true((size_t)record->offset + record->size <= buffered->out.used);
        assert_true((size_t)record->key + record->key_size <= buffered->keys_used);
    }
    if (is)
        sum += (unsigned)(strlen(buffered->route) + strlen(buffered->epoch) +
                          strlen(buffered->schema) + strlen(buffered->listener));
    (void)sum;
    free(copy);
    return is;
}

TEST_WITH(a_part_of_an_image_and_more_than_one_is_none, set_up, tear_down)
{
    (void)state;
    uint8_t image[1000] = {0};
    fill(&made[0]);
    size_t size = put(&made[0], image);
    for (size_t part = 0; part < size; part++)
        assert_false(is_block(image, part));
    assert_true(is_block(image, size));
    assert_false(is_block(image, size + 1));
}

TEST_WITH(whatever_the_bytes_are_nothing_outside_of_them_is_read, set_up, tear_down)
{
    (void)state;
    uint8_t image[1000];
    uint64_t seed = 1;
    fill(&made[0]);
    size_t size = put(&made[0], image);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t changed[1000];
        memcpy(changed, image, size);
        for (uint64_t bytes = 1 + next_below(&seed, 3); bytes > 0; bytes--)
            changed[next_below(&seed, i % 2 == 0 ? 24 : size)] = (uint8_t)next_random(&seed);
        is_block(changed, size);
    }
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t noise[200];
        size_t length = (size_t)next_below(&seed, sizeof noise);
        for (size_t at = 0; at < length; at++)
            noise[at] = (uint8_t)next_below(&seed, i % 3 == 0 ? 3 : 256);
        is_block(noise, length);
    }
}
