#include <string.h>

#include "collector/output/delivery_blocks.h"
#include "tests/support/test.h"

enum { RECORD_SIZE = 1024 };

static struct buffered_block block;

static int begin(void **state)
{
    assert_true(buffered_block_make(&block, RECORD_SIZE));
    buffered_block_begin(&block, "", 0);
    *state = &block;
    return 0;
}

static int end(void **state)
{
    buffered_block_free(*state);
    return 0;
}

static void add(struct buffered_block *buffered, const char *line, const char *key, size_t key_size)
{
    size_t start = buffered->out.used;
    output_bytes(&buffered->out, line, strlen(line));
    const struct delivery_addition one = {.route = "",
                                          .key = (const uint8_t *)key,
                                          .key_size = key_size,
                                          .schema = "telemetry",
                                          .listener = "udp://h:1",
                                          .counts = {.lines = 1}};
    buffered_block_add(buffered, start, &one);
}

static void assert_record(const struct buffered_block *buffered, size_t number, const char *line,
                          const char *key)
{
    const struct delivery_record *record = &buffered->block.records[number];
    assert_int_equal(record->size, strlen(line));
    assert_memory_equal(buffered->block.bytes + record->offset, line, record->size);
    assert_int_equal(record->key_size, strlen(key));
    if (record->key_size != 0)
        assert_memory_equal(buffered->block.keys + record->key, key, record->key_size);
}

TEST_WITH(each_record_has_its_own_key_however_short, begin, end)
{
    struct buffered_block *buffered = *state;
    memset(buffered->keys, 0, DELIVERY_KEYS_SIZE);
    add(buffered, "first\n", "a", 1);
    add(buffered, "second\n", NULL, 0);
    add(buffered, "third\n", "longer", 6);
    buffered_block_seal(buffered, 7, 1);
    assert_int_equal(buffered->block.count, 3);
    assert_record(buffered, 0, "first\n", "a");
    assert_record(buffered, 1, "second\n", "");
    assert_record(buffered, 2, "third\n", "longer");
    assert_int_equal(buffered->block.first_number, 7);
}

TEST_WITH(a_block_whose_only_key_is_one_byte_has_keys, begin, end)
{
    struct buffered_block *buffered = *state;
    add(buffered, "line\n", "k", 1);
    buffered_block_seal(buffered, 0, 1);
    assert_non_null(buffered->block.keys);
    assert_record(buffered, 0, "line\n", "k");
}

TEST_WITH(a_block_without_keys_has_none, begin, end)
{
    struct buffered_block *buffered = *state;
    add(buffered, "line\n", NULL, 0);
    buffered_block_seal(buffered, 0, 1);
    assert_null(buffered->block.keys);
}

TEST_WITH(a_block_is_full_when_one_more_key_may_have_no_room, begin, end)
{
    struct buffered_block *buffered = *state;
    static const char key[DELIVERY_KEY_SIZE];
    size_t most = DELIVERY_KEYS_SIZE / DELIVERY_KEY_SIZE;
    for (size_t i = 0; i + 1 < most; i++)
        add(buffered, "", key, sizeof key);
    assert_false(buffered_block_is_full(buffered));
    add(buffered, "", key, sizeof key);
    assert_true(buffered_block_is_full(buffered));
}
