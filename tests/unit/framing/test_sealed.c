#include <stdlib.h>
#include <string.h>

#include "collector/framing/sealed.h"
#include "tests/support/test.h"

static struct sealed_key key, other_key;

static int load(void **state)
{
    (void)state;
    struct error error;
    uint8_t bytes[SEALED_KEY_SIZE];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(sealed_load(&error), 0);
    sealed_key_derive(bytes, &key);
    bytes[0] ^= 1;
    sealed_key_derive(bytes, &other_key);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    return 0;
}

static const enum sealed_mode modes[] = {SEALED_AUTHENTICATED, SEALED_ENCRYPTED};

static struct sealed_header header_of(enum sealed_mode mode)
{
    return (struct sealed_header){.mode = mode,
                                  .key_id = UINT64_C(0x0123456789abcdef),
                                  .session = UINT64_C(0xfedcba9876543210),
                                  .counter = 7,
                                  .time_ns = INT64_C(0x1122334455667788)};
}

/* Writes into a block of the exact size, so that the address sanitizer detects a write past it. */
static uint8_t *seal(enum sealed_mode mode, const void *payload, size_t size)
{
    const struct sealed_header header = header_of(mode);
    uint8_t *datagram = malloc(size + SEALED_OVERHEAD);
    assert_non_null(datagram);
    sealed_seal(&key, &header, payload, size, datagram);
    return datagram;
}

/* --- header ----------------------------------------------------------------------------------- */

TEST(a_header_is_read_as_it_was_written)
{
    uint8_t datagram[SEALED_OVERHEAD] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct sealed_header header = header_of(modes[i]), read;
        sealed_write(&header, datagram);
        assert_int_equal(sealed_read(datagram, sizeof datagram, &read), CAUSE_UNKNOWN);
        assert_int_equal(read.mode, header.mode);
        assert_true(read.key_id == header.key_id);
        assert_true(read.session == header.session);
        assert_true(read.counter == header.counter);
        assert_true(read.time_ns == header.time_ns);
    }
}

TEST(a_header_has_its_bytes_in_network_order)
{
    static const uint8_t bytes[SEALED_HEADER_SIZE] = {
        'S',  'L',  'S',  'D',  1,    2,    0,    0,    0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
        0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0,    0,    0,    0,
        0,    0,    0,    7,    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    uint8_t datagram[SEALED_HEADER_SIZE];
    struct sealed_header header = header_of(SEALED_ENCRYPTED);
    sealed_write(&header, datagram);
    assert_memory_equal(datagram, bytes, sizeof bytes);
}

TEST(fewer_bytes_than_header_and_tag_are_too_short)
{
    struct sealed_header header = header_of(SEALED_ENCRYPTED);
    uint8_t datagram[SEALED_OVERHEAD] = {0};
    sealed_write(&header, datagram);
    for (size_t size = 0; size < SEALED_OVERHEAD; size++) {
        uint8_t *exact = malloc(size + 1);
        assert_non_null(exact);
        memcpy(exact, datagram, size);
        assert_int_equal(sealed_read(exact, size, &header), CAUSE_SHORT_HEADER);
        free(exact);
    }
}

static void expect_foreign(size_t at, const void *bytes, size_t size)
{
    struct sealed_header header = header_of(SEALED_AUTHENTICATED);
    uint8_t datagram[SEALED_OVERHEAD] = {0};
    sealed_write(&header, datagram);
    memcpy(datagram + at, bytes, size);
    assert_int_equal(sealed_read(datagram, sizeof datagram, &header), CAUSE_FOREIGN_HEADER);
}

TEST(what_no_sender_writes_is_foreign)
{
    static const uint8_t zeros[8];
    for (size_t i = 0; i < 4; i++)
        expect_foreign(i, "X", 1);
    expect_foreign(4, "\0", 1);
    expect_foreign(4, "\2", 1);
    expect_foreign(5, "\0", 1);
    expect_foreign(5, "\3", 1);
    expect_foreign(6, "\1", 1);
    expect_foreign(7, "\1", 1);
    expect_foreign(8, zeros, 8);
    expect_foreign(24, zeros, 8);
    expect_foreign(32, "\x80", 1);
}

/* --- opening sealed datagrams ----------------------------------------------------------------- */

TEST_WITH(what_is_sealed_opens_to_its_payload, load, unload)
{
    (void)state;
    uint8_t payload[300], opened[300];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < 2; i++)
        for (size_t size = 0; size <= sizeof payload; size++) {
            uint8_t *datagram = seal(modes[i], payload, size);
            memset(opened, 0, sizeof opened);
            assert_true(sealed_open(&key, modes[i], datagram, size + SEALED_OVERHEAD, opened));
            assert_memory_equal(opened, payload, size);
            assert_true(sealed_open(&key, modes[i], datagram, size + SEALED_OVERHEAD,
                                    datagram + SEALED_HEADER_SIZE));
            assert_memory_equal(datagram + SEALED_HEADER_SIZE, payload, size);
            free(datagram);
        }
}

TEST_WITH(a_payload_may_be_sealed_where_it_is, load, unload)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct sealed_header header = header_of(modes[i]);
        uint8_t datagram[SEALED_OVERHEAD + 5];
        uint8_t *apart = seal(modes[i], "hello", 5);
        memcpy(datagram + SEALED_HEADER_SIZE, "hello", 5);
        sealed_seal(&key, &header, datagram + SEALED_HEADER_SIZE, 5, datagram);
        assert_memory_equal(datagram, apart, sizeof datagram);
        free(apart);
    }
}

TEST_WITH(only_the_encrypted_mode_hides_the_payload, load, unload)
{
    (void)state;
    uint8_t *shown = seal(SEALED_AUTHENTICATED, "hello", 5);
    uint8_t *hidden = seal(SEALED_ENCRYPTED, "hello", 5);
    assert_memory_equal(shown + SEALED_HEADER_SIZE, "hello", 5);
    assert_memory_not_equal(hidden + SEALED_HEADER_SIZE, "hello", 5);
    free(shown);
    free(hidden);
}

TEST_WITH(no_bit_of_a_datagram_can_be_changed, load, unload)
{
    (void)state;
    uint8_t opened[5];
    for (size_t i = 0; i < 2; i++) {
        uint8_t *datagram = seal(modes[i], "hello", 5);
        for (size_t bit = 0; bit < (SEALED_OVERHEAD + 5) * 8; bit++) {
            datagram[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_false(sealed_open(&key, modes[i], datagram, SEALED_OVERHEAD + 5, opened));
            datagram[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_true(sealed_open(&key, modes[i], datagram, SEALED_OVERHEAD + 5, opened));
        free(datagram);
    }
}

TEST_WITH(a_datagram_cannot_be_cut_or_extended, load, unload)
{
    (void)state;
    uint8_t opened[8], longer[SEALED_OVERHEAD + 6] = {0};
    for (size_t i = 0; i < 2; i++) {
        uint8_t *datagram = seal(modes[i], "hello", 5);
        memcpy(longer, datagram, SEALED_OVERHEAD + 5);
        assert_false(sealed_open(&key, modes[i], longer, SEALED_OVERHEAD + 6, opened));
        for (size_t size = SEALED_OVERHEAD; size < SEALED_OVERHEAD + 5; size++)
            assert_false(sealed_open(&key, modes[i], datagram, size, opened));
        free(datagram);
    }
}

TEST_WITH(another_key_or_the_other_modes_key_opens_nothing, load, unload)
{
    (void)state;
    uint8_t opened[5] = {0};
    for (size_t i = 0; i < 2; i++) {
        uint8_t *datagram = seal(modes[i], "hello", 5);
        assert_false(sealed_open(&other_key, modes[i], datagram, SEALED_OVERHEAD + 5, opened));
        assert_false(sealed_open(&key, modes[!i], datagram, SEALED_OVERHEAD + 5, opened));
        assert_memory_equal(opened, "\0\0\0\0\0", 5);
        free(datagram);
    }
    assert_memory_not_equal(key.of_mode[0], key.of_mode[1], SEALED_KEY_SIZE);
}
