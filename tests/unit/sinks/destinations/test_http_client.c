/*
 * The requests of an http: sink with a scripted libcurl: its results, stale results of a handle's
 * previous request, and requests that it never ends.
 */
#include "sinks/destinations/http_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "tests/support/sinks/curl_double.h"
#include "tests/support/test.h"

/* --- a client --------------------------------------------------------------------------------- */

#define RECORDS 4

static struct http_client *client;
static struct http_urls urls;
static struct http_body_maker *maker;
static struct wakeup *wakeup;
static struct delivery_record records[RECORDS];
static struct delivery_block block;

static void begin(const char *format, const struct curl_step *steps, size_t count)
{
    static struct encoder_ops encoder;
    struct error error;
    struct http_options none = {0};
    struct http_headers *headers;
    encoder = (struct encoder_ops){.name = format};
    curl_double_begin(steps, count);
    assert_int_equal(http_urls_make("http", "//127.0.0.1:1/w", NULL, false, &urls, &error), 0);
    assert_int_equal(
        http_headers_make(&curl_double_library, &encoder, NULL, &none, &headers, &error), 0);
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    maker = http_body_maker_create(&encoder, NULL, 4096);
    const struct http_client_options options = {.library = &curl_double_library,
                                                .format = format,
                                                .urls = &urls,
                                                .maker = maker,
                                                .request = {.timeout_ms = 1000},
                                                .in_flight = 1,
                                                .wakeup = wakeup};
    assert_int_equal(http_client_create(&options, headers, &client, &error), 0);
}

static void end(void)
{
    http_client_destroy(client);
    http_body_maker_destroy(maker);
    http_urls_free(&urls);
    wakeup_destroy(wakeup);
    assert_null(curl_double.handles);
}

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
    assert_true(http_client_send(client, &block));
}

static struct http_result wait_for_answer(void)
{
    struct http_result result;
    while (!http_client_answer(client, &result))
        wakeup_wait(wakeup, NO_HANDLE, false, -1);
    assert_ptr_equal(result.block, &block);
    return result;
}

/* Requests that are given up after this number was added. */
static struct http_result abandon_after(size_t added)
{
    struct http_result result;
    curl_double_wait_for_added(added);
    http_client_abandon(client);
    assert_true(http_client_answer(client, &result));
    return result;
}

static void assert_fates(size_t count, const enum delivery_outcome *fates)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(records[i].outcome, fates[i]);
}

#define STEPS(steps) (steps), sizeof(steps) / sizeof(steps)[0]

/* --- abandoned blocks ------------------------------------------------------------------------- */

TEST(what_never_left_has_no_answer_of_the_request_before_it)
{
    static const struct curl_step steps[] = {
        {.status = 413, .head = "\r\n"}, {.status = 200, .head = "\r\n"}, {.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(2);
    abandon_after(3);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED, DELIVERY_NOT_SENT});
    end();
}

TEST(nor_is_it_refused_as_the_request_before_it_was)
{
    static const struct curl_step steps[] = {
        {.status = 413, .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
        {.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(2);
    struct http_result result = abandon_after(2);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_NOT_SENT, DELIVERY_NOT_SENT});
    assert_int_equal(result.retry_after_ns, 0);
    end();
}

TEST(what_has_left_by_then_is_unknown)
{
    static const struct curl_step steps[] = {{.status = 200, .head = "\r\n"},
                                             {.what = NEVER_ANSWERS}};
    begin("json", STEPS(steps));
    send_block(1);
    wait_for_answer();
    send_block(1);
    abandon_after(2);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    end();
}

TEST(after_that_it_goes_on)
{
    static const struct curl_step steps[] = {{.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(1);
    abandon_after(1);
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    end();
}

/* --- stale values of an earlier request ------------------------------------------------------- */

TEST(a_request_that_fails_before_it_begins_has_no_answer_of_the_one_before)
{
    static const long statuses[] = {200, 400, 429};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const struct curl_step steps[] = {
            {.status = statuses[i], .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
            {.what = FAILS_AT_ONCE, .result = CURLE_COULDNT_CONNECT}};
        begin("json", STEPS(steps));
        send_block(1);
        wait_for_answer();
        send_block(1);
        struct http_result result = wait_for_answer();
        assert_fates(1, (enum delivery_outcome[]){DELIVERY_NOT_SENT});
        assert_int_equal(result.retry_after_ns, 0);
        assert_string_equal(result.error.text, "libcurl's word for it");
        end();
    }
}

/* --- answers that are cut off or endless ------------------------------------------------------ */

static struct http_result answered_by(const char *format, const struct curl_step *step)
{
    begin(format, step, 1);
    send_block(1);
    struct http_result result = wait_for_answer();
    end();
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
    begin("otlp", &liar, 1);
    send_block(RECORDS);
    assert_int_equal(wait_for_answer().points_rejected, RECORDS);
    end();
}

/* --- a libcurl that cannot wait --------------------------------------------------------------- */

TEST(where_libcurl_cannot_wait_the_thread_does_not_spin)
{
    enum { POLLS = 5 };
    begin("json", NULL, 0);
    int64_t start = clock_monotonic_ns();
    curl_double_lock();
    curl_double.poll_fails = true;
    curl_double.polls = 0;
    curl_double.woken = true;
    curl_double_unlock();
    pthread_mutex_lock(&curl_double.lock);
    while (curl_double.polls < POLLS)
        pthread_cond_wait(&curl_double.changed, &curl_double.lock);
    pthread_mutex_unlock(&curl_double.lock);
    assert_true(clock_monotonic_ns() - start >= (POLLS - 2) * INT64_C(20000000));
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    end();
}
