#include <stdio.h>
#include <string.h>

#include "collector/metrics/metrics_token.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define TOKEN  "0123456789abcdef+/=" /* 19 characters */
#define SECOND INT64_C(1000000000)

static struct error error;

static void put(const char *text)
{
    scratch_put_text("token", text);
    scratch_make_private("token");
}

static struct metrics_token *create(const char *text)
{
    struct metrics_token *token = NULL;
    put(text);
    assert_int_equal(metrics_token_create(&token, scratch_path("token"), &error), 0);
    return token;
}

static struct address network(uint8_t last)
{
    const uint8_t bytes[4] = {192, 0, 2, last};
    return address_from_ipv4(bytes, 0);
}

static enum metrics_admission check(struct metrics_token *token, const char *authorization,
                                    uint8_t last, int64_t now_ns)
{
    const struct address from = network(last);
    return metrics_token_check(token, authorization, &from, now_ns);
}

static void refuses(const char *text, const char *why)
{
    put(text);
    assert_int_equal(metrics_token_check_file(scratch_path("token"), &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, why));
    assert_null(strstr(error.text, "0123456"));
}

TEST_WITH(the_first_line_is_the_token, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const files[] = {TOKEN, TOKEN "\n", TOKEN "\r\nmore\n", " " TOKEN " \n\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct metrics_token *token = create(files[i]);
        assert_int_equal(metrics_token_check_file(scratch_path("token"), &error), 0);
        assert_int_equal(check(token, "Bearer " TOKEN, 1, 0), METRICS_ADMITTED);
        metrics_token_destroy(token);
    }
}

TEST_WITH(a_file_without_a_token_that_is_hard_to_guess_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    char longer[600] = "";
    memset(longer, 'x', 513);
    refuses("", "fewer than 16");
    refuses("\n" TOKEN, "fewer than 16");
    refuses("0123456789abcde\n", "fewer than 16");
    refuses("0123456789 abcdef\n", "not a token");
    refuses("0123456789\xc3\xa4"
            "abcdef\n",
            "not a token");
    refuses(longer, "more than 512");
    longer[512] = '\0';
    put(longer);
    assert_int_equal(metrics_token_check_file(scratch_path("token"), &error), 0);
    assert_int_equal(metrics_token_check_file(scratch_path("none"), &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
}

TEST_WITH(only_the_whole_token_is_admitted, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const wrong[] = {"Bearer",
                                        "Bearer ",
                                        "Bearer 0123456789abcdef+/",
                                        "Bearer " TOKEN "x",
                                        "Bearer x" TOKEN,
                                        "Token " TOKEN,
                                        "Bearer0 " TOKEN,
                                        TOKEN,
                                        "Bearer 0123456789ABCDEF+/=",
                                        ""};
    struct metrics_token *token = create(TOKEN "\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(check(token, wrong[i], (uint8_t)(i + 1), 0), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, NULL, 1, 0), METRICS_NO_TOKEN);
    assert_int_equal(check(token, "bearer   " TOKEN, 1, 0), METRICS_ADMITTED);
    assert_int_equal(check(token, "BEARER " TOKEN, 1, 0), METRICS_ADMITTED);
    metrics_token_destroy(token);
}

TEST_WITH(the_token_may_be_the_password_of_any_user, scratch_make, scratch_remove)
{
    (void)state;
    struct metrics_token *token = create("0123456789:abcdef\n");
    /*
     * Decoded: ":0123456789:abcdef", "me:0123456789:abcdef", "me:0123456789:abcdeg", a text without
     * a colon, and text that is not base64.
     */
    assert_int_equal(check(token, "Basic OjAxMjM0NTY3ODk6YWJjZGVm", 1, 0), METRICS_ADMITTED);
    assert_int_equal(check(token, "basic bWU6MDEyMzQ1Njc4OTphYmNkZWY=", 1, 0), METRICS_ADMITTED);
    assert_int_equal(check(token, "Basic bWU6MDEyMzQ1Njc4OTphYmNkZWc=", 1, 0), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, "Basic MDEyMzQ1Njc4OWFiY2RlZg==", 2, 0), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, "Basic OjAxMjM0NTY3ODk6YWJjZGV", 3, 0), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, "Basic", 4, 0), METRICS_WRONG_TOKEN);
    metrics_token_destroy(token);
}

TEST_WITH(credentials_that_are_too_long_are_wrong, scratch_make, scratch_remove)
{
    (void)state;
    char header[4096] = "Basic ";
    memset(header + 6, 'A', 4000);
    struct metrics_token *token = create(TOKEN);
    assert_int_equal(check(token, header, 1, 0), METRICS_WRONG_TOKEN);
    metrics_token_destroy(token);
}

TEST_WITH(after_ten_wrong_tokens_of_a_network_none_is_looked_at_for_a_minute, scratch_make,
          scratch_remove)
{
    (void)state;
    struct metrics_token *token = create(TOKEN);
    for (int i = 0; i < METRICS_TOKEN_TRIES; i++)
        assert_int_equal(check(token, "Bearer x", 1, SECOND), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, "Bearer " TOKEN, 1, SECOND), METRICS_TOO_MANY_TRIES);
    assert_int_equal(check(token, "Bearer " TOKEN, 1, 60 * SECOND), METRICS_TOO_MANY_TRIES);
    assert_int_equal(check(token, "Bearer " TOKEN, 2, SECOND), METRICS_ADMITTED);
    assert_int_equal(check(token, NULL, 1, SECOND), METRICS_NO_TOKEN);
    assert_int_equal(check(token, "Bearer " TOKEN, 1, 61 * SECOND), METRICS_ADMITTED);
    metrics_token_destroy(token);
}

/*
 * Many clients may connect through a proxy on this machine. So wrong tokens from this machine's
 * addresses never block an address.
 */
TEST_WITH(wrong_tokens_from_this_machine_do_not_shut_out_the_right_one, scratch_make,
          scratch_remove)
{
    (void)state;
    static const uint8_t v4[4] = {127, 0, 0, 1};
    static const uint8_t v6[16] = {[15] = 1};
    const struct address hosts[] = {address_from_ipv4(v4, 0), address_from_ipv6(v6, 0, 0),
                                    address_from_process(0, 0)};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const struct address from = address_network(&hosts[i]);
        struct metrics_token *token = create(TOKEN);
        for (int round = 0; round < METRICS_TOKEN_TRIES; round++)
            assert_int_equal(metrics_token_check(token, "Bearer x", &from, 0), METRICS_WRONG_TOKEN);
        assert_int_equal(metrics_token_check(token, "Bearer x", &from, 0), METRICS_TOO_MANY_TRIES);
        assert_int_equal(metrics_token_check(token, "Bearer " TOKEN, &from, 0), METRICS_ADMITTED);
        metrics_token_destroy(token);
    }
}

TEST_WITH(requests_without_a_token_are_no_tries, scratch_make, scratch_remove)
{
    (void)state;
    struct metrics_token *token = create(TOKEN);
    for (int i = 0; i < 100; i++)
        assert_int_equal(check(token, NULL, 1, 0), METRICS_NO_TOKEN);
    assert_int_equal(check(token, "Bearer " TOKEN, 1, 0), METRICS_ADMITTED);
    metrics_token_destroy(token);
}

TEST_WITH(many_networks_are_counted_at_a_time, scratch_make, scratch_remove)
{
    (void)state;
    struct metrics_token *token = create(TOKEN);
    for (int round = 0; round < METRICS_TOKEN_TRIES; round++)
        for (uint8_t from = 0; from < 64; from++)
            assert_int_equal(check(token, "Bearer x", from, from), METRICS_WRONG_TOKEN);
    for (uint8_t from = 0; from < 64; from++)
        assert_int_equal(check(token, "Bearer x", from, from), METRICS_TOO_MANY_TRIES);
    /* A wrong token from address 64 takes the place of address 0 in the full table. */
    assert_int_equal(check(token, "Bearer x", 64, 64), METRICS_WRONG_TOKEN);
    assert_int_equal(check(token, "Bearer x", 1, 64), METRICS_TOO_MANY_TRIES);
    metrics_token_destroy(token);
}

TEST_WITH(a_file_that_is_read_again_replaces_the_token_and_one_that_is_wrong_does_not, scratch_make,
          scratch_remove)
{
    (void)state;
    struct metrics_token *token = create(TOKEN);
    put("another-token-of-24-bytes");
    assert_int_equal(metrics_token_load(token, &error), 0);
    assert_int_equal(check(token, "Bearer " TOKEN, 1, 0), METRICS_WRONG_TOKEN);
    put("short");
    assert_int_equal(metrics_token_load(token, &error), -1);
    assert_int_equal(check(token, "Bearer another-token-of-24-bytes", 1, 0), METRICS_ADMITTED);
    metrics_token_destroy(token);
}
