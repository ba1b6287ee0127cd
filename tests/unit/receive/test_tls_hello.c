/* Tests that the sizes in a ClientHello are found before it is complete, however it is divided. */
#include <string.h>

#include "collector/receive/tls_hello.h"
#include "tests/support/test.h"

#define ROOM ((size_t)20000)

struct bytes {
    uint8_t data[ROOM];
    size_t size;
};

static void put(struct bytes *to, const void *bytes, size_t size)
{
    assert_true(to->size + size <= ROOM);
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static void put_record(struct bytes *to, uint8_t type, const uint8_t *bytes, size_t size)
{
    const uint8_t head[] = {type, 3, 3, (uint8_t)(size >> 8), (uint8_t)size};
    put(to, head, sizeof head);
    put(to, bytes, size);
}

/*
 * Writes the beginning of a ClientHello that claims to have `size` bytes, in records of at most
 * `piece` bytes.
 */
static void put_hello(struct bytes *to, size_t size, uint8_t id, size_t suites, size_t piece)
{
    static uint8_t hello[4 + 300];
    memset(hello, 1, sizeof hello);
    const uint8_t head[] = {1, (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size};
    memcpy(hello, head, sizeof head);
    hello[4 + 34] = id;
    hello[4 + 35 + id] = (uint8_t)(suites >> 8);
    hello[4 + 36 + id] = (uint8_t)suites;
    size_t all = size + 4 < sizeof hello ? size + 4 : sizeof hello;
    for (size_t at = 0; at < all; at += piece)
        put_record(to, 22, hello + at, all - at < piece ? all - at : piece);
}

/*
 * Returns true if tls_hello_read allows all bytes. Asserts that it gives the same result when it
 * gets one byte at a time.
 */
static bool passes(const struct bytes *bytes, bool is_old)
{
    struct tls_hello whole = {0}, single = {0};
    bool fits = true;
    bool result = tls_hello_read(&whole, bytes->data, bytes->size, is_old);
    for (size_t i = 0; i < bytes->size && fits; i++)
        fits = tls_hello_read(&single, bytes->data + i, 1, is_old);
    assert_int_equal(fits, result);
    return result;
}

static bool passes_hello(size_t size, uint8_t id, size_t suites)
{
    bool results[3];
    static const size_t pieces[] = {16384, 7, 1};
    for (size_t i = 0; i < 3; i++) {
        struct bytes bytes = {.size = 0};
        put_hello(&bytes, size, id, suites, pieces[i]);
        results[i] = passes(&bytes, false);
    }
    assert_int_equal(results[0], results[1]);
    assert_int_equal(results[0], results[2]);
    return results[0];
}

TEST(a_hello_is_refused_by_the_length_that_it_claims)
{
    assert_true(passes_hello(200, 32, 100));
    assert_true(passes_hello(TLS_HELLO_MOST, 32, 100));
    assert_false(passes_hello(TLS_HELLO_MOST + 1, 32, 100));
    assert_false(passes_hello(128 * 1024, 0, 2));
    assert_false(passes_hello(0xffffff, 0, 2));
}

TEST(a_hello_is_refused_by_its_cipher_suites)
{
    assert_true(passes_hello(4000, 0, TLS_HELLO_SUITES_MOST));
    assert_false(passes_hello(4000, 0, TLS_HELLO_SUITES_MOST + 1));
    assert_true(passes_hello(4000, 255, TLS_HELLO_SUITES_MOST));
    assert_false(passes_hello(4000, 255, 0xffff));
}

/* The version and the random bytes may have any values, and they come before the cipher suites. */
TEST(fields_before_the_cipher_suites_are_not_mistaken_for_them)
{
    static const uint8_t before[2 + 32 + 1] = {
        [0] = 0xff, [1] = 0xff, [2] = 0xff, [33] = 0xff, [34] = 0};
    static const uint8_t head[] = {1, 0, 0, sizeof before + 4}, suites[] = {0, 2, 0x13, 1};
    struct bytes message = {.size = 0}, bytes = {.size = 0};
    put(&message, head, sizeof head);
    put(&message, before, sizeof before);
    put(&message, suites, sizeof suites);
    put_record(&bytes, 22, message.data, message.size);
    assert_true(passes(&bytes, false));
}

TEST(a_second_hello_has_the_same_limits)
{
    struct bytes bytes = {.size = 0};
    const uint8_t change[] = {1};
    put_hello(&bytes, 200, 32, 100, 50);
    /* A client of TLS 1.3 sends ChangeCipherSpec between its two hellos. */
    put_record(&bytes, 20, change, sizeof change);
    put_record(&bytes, 23, change, sizeof change); /* early data */
    assert_true(passes(&bytes, false));
    put_hello(&bytes, 100000, 32, 100, 50);
    assert_false(passes(&bytes, false));
}

/* Messages of TLS 1.2 after ChangeCipherSpec are encrypted, so they may have any bytes. */
TEST(encrypted_messages_of_tls_1_2_are_not_read)
{
    struct bytes bytes = {.size = 0};
    const uint8_t change[] = {1}, key[] = {16, 0, 0, 2, 1, 1}, done[] = {14, 0, 0, 0};
    put_hello(&bytes, 200, 32, 100, 50);
    put_record(&bytes, 22, key, sizeof key);
    put_record(&bytes, 22, done, sizeof done);
    struct bytes hello = bytes;
    put_hello(&hello, 100000, 32, 100, 50);
    assert_false(passes(&hello, true));
    put_record(&bytes, 20, change, sizeof change);
    put_hello(&bytes, 100000, 32, 100, 50);
    assert_true(passes(&bytes, true));
    assert_false(passes(&bytes, false));
}

TEST(a_hello_of_ssl_2_is_refused)
{
    const uint8_t old[] = {0x80, 0x2e, 1, 3, 3, 0, 0, 0};
    struct tls_hello hello = {0};
    assert_false(tls_hello_read(&hello, old, sizeof old, false));
}

TEST(bytes_that_are_not_tls_are_left_to_the_library)
{
    static const char *const texts[] = {"GET / HTTP/1.1\r\n\r\n", "", "\x16\x03", "hello, world"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tls_hello hello = {0};
        assert_true(tls_hello_read(&hello, (const uint8_t *)texts[i], strlen(texts[i]), false));
    }
}
