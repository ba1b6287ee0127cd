#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/jetstream_answer.h"
#include "tests/support/test.h"

/*
 * Reads the answer from a block of its exact size, so that a sanitizer detects a read past its end.
 */
static struct jetstream_answer read_all(const char *json, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, json, size);
    struct jetstream_answer answer = jetstream_answer_read(copy, size);
    free(copy);
    return answer;
}

static struct jetstream_answer read_text(const char *json)
{
    return read_all(json, strlen(json));
}

TEST(a_place_in_a_stream_acknowledges)
{
    static const char *const good[] = {
        "{\"stream\":\"S\", \"seq\":1}",
        "{\"stream\": \"S\", \"seq\": 12, \"duplicate\": true}",
        "{\"stream\":\"error\",\"domain\":\"d\",\"seq\":1}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(read_text(good[i]).outcome, DELIVERY_ACKNOWLEDGED);
        assert_string_equal(read_text(good[i]).text, "");
    }
}

TEST(an_error_of_the_server_says_whether_to_try_again)
{
    static const struct {
        const char *json;
        enum delivery_outcome outcome;
        enum delivery_reason reason;
        const char *text;
    } cases[] = {
        {"{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"message size exceeds "
         "maximum allowed\"},\"stream\":\"S\",\"seq\":0}",
         DELIVERY_REFUSED, DELIVERY_TOO_LARGE, "message size exceeds maximum allowed"},
        {"{\"error\":{\"code\":400,\"err_code\":10097,\"description\":\"header size exceeds "
         "maximum allowed of 64k\"},\"stream\":\"S\",\"seq\":0}",
         DELIVERY_REFUSED, DELIVERY_REJECTED, "header size exceeds maximum allowed of 64k"},
        {"{\"error\":{\"code\":503,\"err_code\":10077,\"description\":\"maximum bytes "
         "exceeded\"},\"stream\":\"S\",\"seq\":0}",
         DELIVERY_NOT_SENT, DELIVERY_REJECTED, "maximum bytes exceeded"},
        {"{\"error\":{\"code\":403,\"err_code\":1}}", DELIVERY_REFUSED, DELIVERY_DENIED,
         "error 403 (1) of JetStream"},
        {"{\"error\":{\"code\":401,\"err_code\":1}}", DELIVERY_REFUSED, DELIVERY_DENIED,
         "error 401 (1) of JetStream"},
        {"{\"error\":{\"code\":402,\"err_code\":1}}", DELIVERY_REFUSED, DELIVERY_REJECTED,
         "error 402 (1) of JetStream"},
        {"{\"error\":{\"code\":400,\"err_code\":10071,\"description\":\"wrong\"}}",
         DELIVERY_REFUSED, DELIVERY_REJECTED, "wrong"},
        {"{\"error\":{}}", DELIVERY_UNKNOWN, DELIVERY_REJECTED, "error 0 (0) of JetStream"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jetstream_answer answer = read_text(cases[i].json);
        assert_int_equal(answer.outcome, cases[i].outcome);
        if (answer.outcome == DELIVERY_REFUSED)
            assert_int_equal(answer.reason, cases[i].reason);
        assert_string_equal(answer.text, cases[i].text);
    }
}

TEST(what_is_cut_off_or_nonsense_acknowledges_nothing)
{
    static const char whole[] =
        "{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"m\"}}";
    for (size_t size = 0; size < sizeof whole - 1; size++)
        assert_int_not_equal(read_all(whole, size).outcome, DELIVERY_ACKNOWLEDGED);
    static const char *const nonsense[] = {
        "", "{", "+OK", "{\"seq\":1}", "{\"stream\":\"S\"}", "\"stream\" \"seq\"", "{\"error\":"};
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
        assert_int_equal(read_text(nonsense[i]).outcome, DELIVERY_UNKNOWN);
    unsigned seed = 1;
    for (int round = 0; round < 2000; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1103515245 + 12345;
            bytes[i] = "{}\":, seqstreamerrorcode0123456789\\"[seed / 65536 % 35];
        }
        read_all(bytes, sizeof bytes);
    }
}

TEST(a_description_is_cut_to_its_room)
{
    char json[600];
    int length = snprintf(json, sizeof json, "{\"error\":{\"code\":400,\"description\":\"");
    memset(json + length, 'd', 400);
    strcpy(json + length + 400, "\"}}");
    assert_int_equal(strlen(read_text(json).text), sizeof read_text(json).text - 1);
}
