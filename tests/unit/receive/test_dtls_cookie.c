/*
 * Tests that a cookie proves a client's address. It is valid for the client's own hello and for a
 * limited time.
 */
#include <string.h>

#include "collector/receive/dtls_cookie.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

static const uint8_t version[2] = {254, 253}, random_a[DTLS_RANDOM_SIZE] = {1},
                     random_b[DTLS_RANDOM_SIZE] = {2}, id[2] = {3, 4};

static struct dtls_hello hello_of(const uint8_t *random, const uint8_t *cookie)
{
    return (struct dtls_hello){.message = 1,
                               .version = version,
                               .random = random,
                               .id = id,
                               .id_size = sizeof id,
                               .cookie = cookie,
                               .cookie_size = cookie == NULL ? 0 : DTLS_COOKIE_SIZE};
}

static struct address client(uint8_t last, uint16_t port)
{
    return address_from_ipv4((const uint8_t[]){10, 0, 0, last}, port);
}

static void begin(struct dtls_cookies *cookies, int64_t now_ns)
{
    struct error error;
    assert_int_equal(dtls_cookies_begin(cookies, now_ns, &error), 0);
}

TEST(a_cookie_is_valid_for_its_address_and_hello_only)
{
    struct dtls_cookies cookies, others;
    uint8_t cookie[DTLS_COOKIE_SIZE];
    const struct address address = client(1, 1000), host = client(2, 1000), port = client(1, 1001);
    begin(&cookies, 0);
    begin(&others, 0);
    struct dtls_hello hello = hello_of(random_a, cookie), other = hello_of(random_b, cookie);
    dtls_cookie_make(&cookies, &address, &hello, cookie);
    assert_true(dtls_cookie_is_valid(&cookies, &address, &hello));
    assert_false(dtls_cookie_is_valid(&cookies, &host, &hello));
    assert_false(dtls_cookie_is_valid(&cookies, &port, &hello));
    assert_false(dtls_cookie_is_valid(&cookies, &address, &other));
    assert_false(dtls_cookie_is_valid(&others, &address, &hello));
    hello.id_size--;
    assert_false(dtls_cookie_is_valid(&cookies, &address, &hello));
}

TEST(each_byte_of_a_cookie_counts)
{
    struct dtls_cookies cookies;
    uint8_t cookie[DTLS_COOKIE_SIZE + 1] = {0};
    const struct address address = client(1, 1000);
    begin(&cookies, 0);
    struct dtls_hello hello = hello_of(random_a, cookie);
    dtls_cookie_make(&cookies, &address, &hello, cookie);
    for (size_t i = 0; i < DTLS_COOKIE_SIZE; i++) {
        cookie[i] ^= 0x80;
        assert_false(dtls_cookie_is_valid(&cookies, &address, &hello));
        cookie[i] ^= 0x80;
    }
    for (size_t size = 0; size <= sizeof cookie; size++) {
        hello.cookie_size = size;
        assert_int_equal(dtls_cookie_is_valid(&cookies, &address, &hello),
                         size == DTLS_COOKIE_SIZE);
    }
}

TEST(a_cookie_is_valid_for_one_to_two_periods)
{
    struct dtls_cookies cookies;
    uint8_t cookie[DTLS_COOKIE_SIZE];
    const struct address address = client(1, 1000);
    begin(&cookies, 5 * SECOND);
    struct dtls_hello hello = hello_of(random_a, cookie);
    dtls_cookies_change(&cookies, 34 * SECOND);
    dtls_cookie_make(&cookies, &address, &hello, cookie);
    dtls_cookies_change(&cookies, 35 * SECOND);
    assert_true(dtls_cookie_is_valid(&cookies, &address, &hello));
    dtls_cookies_change(&cookies, 64 * SECOND);
    assert_true(dtls_cookie_is_valid(&cookies, &address, &hello));
    dtls_cookies_change(&cookies, 65 * SECOND);
    assert_false(dtls_cookie_is_valid(&cookies, &address, &hello));
}

TEST(after_a_long_time_without_a_hello_no_cookie_is_valid)
{
    struct dtls_cookies cookies;
    uint8_t cookie[DTLS_COOKIE_SIZE];
    const struct address address = client(1, 1000);
    begin(&cookies, 0);
    struct dtls_hello hello = hello_of(random_a, cookie);
    dtls_cookie_make(&cookies, &address, &hello, cookie);
    dtls_cookies_change(&cookies, 60 * SECOND);
    assert_false(dtls_cookie_is_valid(&cookies, &address, &hello));
}
