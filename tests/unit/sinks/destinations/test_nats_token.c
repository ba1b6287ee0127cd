/* Tests reading the tokens in reply subjects. A server may send any text as a token. */
#include "sinks/destinations/nats_token.h"
#include "tests/support/test.h"

static void comes_back(struct nats_token token)
{
    char text[NATS_TOKEN_SIZE];
    struct nats_token read;
    nats_token_format(&token, text);
    assert_true(nats_token_parse(text, &read));
    assert_int_equal(read.flight, token.flight);
    assert_int_equal(read.record, token.record);
    assert_int_equal(read.count, token.count);
    assert_true(read.order == token.order);
}

TEST(a_token_is_read_back)
{
    comes_back((struct nats_token){0, 0, 0, 0});
    comes_back((struct nats_token){63, 12, 2, 345});
    comes_back((struct nats_token){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX});
}

TEST(a_number_that_is_too_large_is_no_token_of_another_message)
{
    struct nats_token token;
    assert_false(nats_token_parse(".4294967296.0.1.1", &token));
    assert_false(nats_token_parse(".0.4294967296.1.1", &token));
    assert_false(nats_token_parse(".0.0.4294967296.1", &token));
    assert_false(nats_token_parse(".0.0.1.18446744073709551616", &token));
    assert_false(nats_token_parse(".0.0.1.99999999999999999999999", &token));
}

TEST(other_texts_are_no_token)
{
    static const char *const texts[] = {
        "",          ".",          ".1",         ".1.2",      ".1.2.3",    ".1.2.3.",
        "1.2.3.4",   "..2.3.4",    ".1.2.3.4.5", ".1.2.3.4x", ".-1.2.3.4", ".1.+2.3.4",
        ".1. 2.3.4", ".1.2.3.0x4", ".1.2.3.4 ",  ".a.2.3.4",  ".1-2.3.4",  ".1.2.3.4\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct nats_token token;
        if (nats_token_parse(texts[i], &token))
            fail_msg("\"%s\" is read as a token", texts[i]);
    }
}
