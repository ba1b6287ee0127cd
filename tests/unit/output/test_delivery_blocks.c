/* A block of a delivery: what its records are, where they stand, and what it has in common. */
#include <string.h>

#include "collector/output/delivery_blocks.h"
#include "tests/support/test.h"

enum { RECORD_SIZE = 1024 };

static struct held_block block;

static int begin(void **state)
{
    assert_true(held_block_make(&block, RECORD_SIZE));
    held_block_begin(&block, "", 0);
    *state = &block;
    return 0;
}

static int end(void **state)
{
    held_block_free(*state);
    return 0;
}

static void add(struct held_block *held, const char *line, const char *key, size_t key_size)
{
    size_t start = held->out.used;
    output_bytes(&held->out, line, strlen(line));
    const struct delivery_addition one = {.route = "",
                                          .key = (const uint8_t *)key,
                                          .key_size = key_size,
                                          .schema = "telemetry",
                                          .listener = "udp://h:1",
                                          .counts = {.lines = 1}};
    held_block_add(held, start, &one);
}

static void assert_record(const struct held_block *held, size_t number, const char *line,
                          const char *key)
{
    const struct delivery_record *record = &held->block.records[number];
    assert_int_equal(record->size, strlen(line));
    assert_memory_equal(held->block.bytes + record->offset, line, record->size);
    assert_int_equal(record->key_size, strlen(key));
    if (record->key_size != 0)
        assert_memory_equal(held->block.keys + record->key, key, record->key_size);
}

TEST_WITH(each_record_has_its_own_key_however_short, begin, end)
{
    struct held_block *held = *state;
    memset(held->keys, 0, DELIVERY_KEYS_SIZE);
    add(held, "first\n", "a", 1);
    add(held, "second\n", NULL, 0);
    add(held, "third\n", "longer", 6);
    held_block_seal(held, 7, 1);
    assert_int_equal(held->block.count, 3);
    assert_record(held, 0, "first\n", "a");
    assert_record(held, 1, "second\n", "");
    assert_record(held, 2, "third\n", "longer");
    assert_int_equal(held->block.first_number, 7);
}

TEST_WITH(a_block_whose_only_key_is_one_byte_has_keys, begin, end)
{
    struct held_block *held = *state;
    add(held, "line\n", "k", 1);
    held_block_seal(held, 0, 1);
    assert_non_null(held->block.keys);
    assert_record(held, 0, "line\n", "k");
}

TEST_WITH(a_block_without_keys_has_none, begin, end)
{
    struct held_block *held = *state;
    add(held, "line\n", NULL, 0);
    held_block_seal(held, 0, 1);
    assert_null(held->block.keys);
}

TEST_WITH(a_block_is_full_when_one_more_key_may_have_no_room, begin, end)
{
    struct held_block *held = *state;
    static const char key[DELIVERY_KEY_SIZE];
    size_t most = DELIVERY_KEYS_SIZE / DELIVERY_KEY_SIZE;
    for (size_t i = 0; i + 1 < most; i++)
        add(held, "", key, sizeof key);
    assert_false(held_block_is_full(held));
    add(held, "", key, sizeof key);
    assert_true(held_block_is_full(held));
}
