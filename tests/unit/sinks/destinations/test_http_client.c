/*
 * Tests the requests of an http: sink with a scripted libcurl: its results, stale values of the
 * handle's previous request, and requests that it never ends.
 */
#include "sinks/destinations/http_client.h"

#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/sinks/http_scene.h"
#include "tests/support/test.h"

/* --- the client ------------------------------------------------------------------------------- */

#define RECORDS 4

static struct delivery_record records[RECORDS];
static struct delivery_block block;

static void send_block(size_t count)
{
    static const char bytes[] = "{}\n{}\n{}\n{}\n";
    for (size_t i = 0; i < count; i++)
        records[i] = (struct delivery_record){
            .offset = (uint32_t)(3 * i), .size = 3, .lines = 1, .samples = 1};
    block = (struct delivery_block){.route = "",
                                    .bytes = (const uint8_t *)bytes,
                                    .size = 3 * count,
                                    .records = records,
                                    .count = count,
                                    .epoch = "e"};
    assert_true(http_client_send(http_scene.client, &block));
}

static struct http_result wait_for_answer(void)
{
    struct http_result result = http_scene_await();
    assert_ptr_equal(result.block, &block);
    return result;
}

static struct http_result abandon_after(size_t added)
{
    struct http_result result;
    curl_double_wait_for(&curl_double.added, added);
    http_client_abandon(http_scene.client);
    assert_true(http_client_answer(http_scene.client, &result));
    return result;
}

static void assert_fates(size_t count, const enum delivery_outcome *fates)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(records[i].outcome, fates[i]);
}

/* --- abandoned blocks ------------------------------------------------------------------------- */

TEST(what_never_left_has_no_answer_of_the_request_before_it)
{
    static const struct curl_step steps[] = {
        {.status = 413, .head = "\r\n"}, {.status = 200, .head = "\r\n"}, {.what = NEVER_BEGINS}};
    http_scene_begin("json", CURL_STEPS(steps), 1);
    send_block(2);
    abandon_after(3);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED, DELIVERY_NOT_SENT});
    http_scene_end();
}

TEST(nor_is_it_refused_as_the_request_before_it_was)
{
    static const struct curl_step steps[] = {
        {.status = 413, .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
        {.what = NEVER_BEGINS}};
    http_scene_begin("json", CURL_STEPS(steps), 1);
    send_block(2);
    struct http_result result = abandon_after(2);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_NOT_SENT, DELIVERY_NOT_SENT});
    assert_int_equal(result.retry_after_ns, 0);
    http_scene_end();
}

TEST(what_has_left_by_then_is_unknown)
{
    static const struct curl_step steps[] = {{.status = 200, .head = "\r\n"},
                                             {.what = NEVER_ANSWERS}};
    http_scene_begin("json", CURL_STEPS(steps), 1);
    send_block(1);
    wait_for_answer();
    send_block(1);
    abandon_after(2);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    http_scene_end();
}

TEST(after_that_it_goes_on)
{
    static const struct curl_step steps[] = {{.what = NEVER_BEGINS}};
    http_scene_begin("json", CURL_STEPS(steps), 1);
    send_block(1);
    abandon_after(1);
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    http_scene_end();
}

/* --- stale values of an earlier request ------------------------------------------------------- */

TEST(a_request_that_fails_before_it_begins_has_no_answer_of_the_one_before)
{
    static const long statuses[] = {200, 400, 429};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const struct curl_step steps[] = {
            {.status = statuses[i], .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
            {.what = FAILS_AT_ONCE, .result = CURLE_COULDNT_CONNECT}};
        http_scene_begin("json", CURL_STEPS(steps), 1);
        send_block(1);
        wait_for_answer();
        send_block(1);
        struct http_result result = wait_for_answer();
        assert_fates(1, (enum delivery_outcome[]){DELIVERY_NOT_SENT});
        assert_int_equal(result.retry_after_ns, 0);
        assert_string_equal(result.error.text, "libcurl's word for it");
        http_scene_end();
    }
}

/* --- answers that are cut off or endless ------------------------------------------------------ */

static struct http_result answered_by(const char *format, const struct curl_step *step)
{
    http_scene_begin(format, step, 1, 1);
    send_block(1);
    struct http_result result = wait_for_answer();
    http_scene_end();
    return result;
}

TEST(success_whose_body_is_cut_acknowledges_nothing)
{
    const struct curl_step cut = {.result = CURLE_PARTIAL_FILE,
                                  .status = 200,
                                  .head = "Content-Length: 9\r\n\r\n",
                                  .body = "abc",
                                  .body_size = 3};
    struct http_result result = answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    assert_non_null(strstr(result.error.text, "answered 200, but its answer was cut"));
}

TEST(a_refusal_whose_body_is_cut_is_one)
{
    const struct curl_step cut = {.result = CURLE_PARTIAL_FILE,
                                  .status = 400,
                                  .head = "Content-Length: 9\r\n\r\n",
                                  .body = "abc",
                                  .body_size = 3};
    answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_REFUSED});
}

TEST(headers_that_are_cut_are_no_answer)
{
    static const long statuses[] = {200, 400, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const struct curl_step cut = {
            .result = CURLE_RECV_ERROR, .status = statuses[i], .head = "X: y\r\n"};
        answered_by("json", &cut);
        assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    }
}

TEST(headers_that_are_cut_after_an_interim_answer_are_no_answer)
{
    const struct curl_step cut = {.result = CURLE_RECV_ERROR,
                                  .status = 400,
                                  .head = "\r\nHTTP/1.1 400 Bad Request\r\nX: y\r\n"};
    answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
}

TEST(headers_without_end_are_not_read_on)
{
    const struct curl_step endless = {.status = 200, .head_repeats = 1000000, .head = "\r\n"};
    struct http_result result = answered_by("json", &endless);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    assert_in_range(curl_double.head_taken, 1, HTTP_HEAD_MOST + 1000);
    assert_non_null(strstr(result.error.text, "longer than 256 KiB"));
}

TEST(of_a_body_without_end_the_status_counts)
{
    const struct curl_step endless = {.status = 200,
                                      .head = "\r\n",
                                      .body = "0123456789abcdef",
                                      .body_size = 16,
                                      .body_repeats = 1000000};
    answered_by("json", &endless);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    assert_in_range(curl_double.body_taken, 1, HTTP_ANSWER_MOST + 16);
}

/* --- OTLP ------------------------------------------------------------------------------------- */

TEST(a_receiver_cannot_leave_out_more_points_than_it_was_sent)
{
    static const char most[] = "\x0a\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\x00";
    const struct curl_step liar = {
        .status = 200, .head = "\r\n", .body = most, .body_size = sizeof most - 1};
    assert_int_equal(answered_by("otlp", &liar).points_rejected, 1);
    http_scene_begin("otlp", &liar, 1, 1);
    send_block(RECORDS);
    assert_int_equal(wait_for_answer().points_rejected, RECORDS);
    http_scene_end();
}

/* --- a libcurl that cannot wait --------------------------------------------------------------- */

TEST(where_libcurl_cannot_wait_the_thread_does_not_spin)
{
    enum { POLLS = 5 };
    http_scene_begin("json", NULL, 0, 1);
    int64_t start = clock_monotonic_ns();
    curl_double_lock();
    curl_double.poll_fails = true;
    curl_double.polls = 0;
    curl_double.woken = true;
    curl_double_unlock();
    curl_double_wait_for(&curl_double.polls, POLLS);
    assert_true(clock_monotonic_ns() - start >= (POLLS - 2) * INT64_C(20000000));
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    http_scene_end();
}
