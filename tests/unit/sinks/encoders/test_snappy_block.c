/* Tests that Snappy blocks are read back by a reader that follows the description of the format. */
#include "sinks/encoders/snappy_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/base/random_number.h"
#include "tests/support/sinks/snappy_reading.h"
#include "tests/support/test.h"

#define MOST ((size_t)300000)

static uint8_t data[MOST];
static uint8_t read[MOST];

static size_t round_trip(size_t size)
{
    /* A block of the exact size, so that a sanitizer detects a read past its end. */
    uint8_t *exact = malloc(size + (size == 0));
    uint16_t *scratch = malloc(SNAPPY_SCRATCH);
    struct output out = {.capacity = snappy_block_bound(size)};
    out.data = malloc(out.capacity);
    memcpy(exact, data, size);
    snappy_block_put(exact, size, scratch, &out);
    assert_false(out.overflow);
    assert_int_equal(snappy_read((uint8_t *)out.data, out.used, read, sizeof read), size);
    assert_memory_equal(read, data, size);
    free(out.data);
    free(scratch);
    free(exact);
    return out.used;
}

TEST(the_data_comes_back_at_every_size)
{
    for (size_t i = 0; i < MOST; i++)
        data[i] = (uint8_t)(i * i >> 7);
    for (size_t size = 0; size < 400; size++)
        round_trip(size);
    static const size_t sizes[] = {65535, 65536, 65537, 65536 + 60, 131072, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        round_trip(sizes[i]);
}

TEST(what_does_not_repeat_is_little_longer)
{
    uint64_t random = 5;
    for (size_t i = 0; i < MOST; i++)
        data[i] = (uint8_t)next_random(&random);
    assert_in_range(round_trip(MOST), MOST, MOST + 100);
}

TEST(runs_of_every_length_come_back)
{
    memset(data, 'a', MOST);
    for (size_t length = 1; length < 300; length++) {
        data[1000] = (uint8_t)length;
        data[1000 + length] = 'b';
        round_trip(1000 + length + 20);
        data[1000 + length] = 'a';
    }
    assert_in_range(round_trip(MOST), 1, MOST / 20);
}

TEST(what_stands_near_and_far_before_is_copied)
{
    uint64_t random = 7;
    for (size_t distance = 4; distance < 65000; distance = distance * 5 / 4 + 1) {
        for (size_t i = 0; i < distance; i++)
            data[i] = (uint8_t)next_random(&random);
        for (size_t i = distance; i < 65536; i++)
            data[i] = data[i - distance];
        round_trip(65536);
    }
}

TEST(series_that_share_their_labels_take_a_fourth)
{
    size_t size = 0;
    for (unsigned i = 0; size + 200 < MOST; i++)
        size += (size_t)sprintf((char *)data + size,
                                "__name__nginx_connections_%u_host_web1.example_site_a_%u", i % 7,
                                i * 7919);
    assert_in_range(round_trip(size), 1, size / 4);
}
