/*
 * Tests the requests of an http: sink when libcurl answers late, out of order, twice or never,
 * while several blocks are in flight. libcurl is replaced by curl_double.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/http_client.h"
#include "tests/support/base/random_number.h"
#include "tests/support/sinks/http_scene.h"
#include "tests/support/test.h"

#define BLOCKS  4
#define RECORDS 3
#define SIZE    10 /* bytes of a record */

/* A block in which each record has its number as text. */
struct sent {
    char bytes[RECORDS * SIZE + 1];
    struct delivery_record records[RECORDS];
    struct delivery_block block;
    bool in_flight;
};

static struct sent sent[BLOCKS];
static unsigned numbers; /* number of records sent so far */

static void begin(const struct curl_step *steps, size_t count)
{
    memset(sent, 0, sizeof sent);
    numbers = 0;
    http_scene_begin("json", steps, count, BLOCKS);
}

static void send_block(size_t at, size_t count)
{
    struct sent *one = &sent[at];
    for (size_t i = 0; i < count; i++) {
        one->records[i] = (struct delivery_record){
            .offset = (uint32_t)(SIZE * i), .size = SIZE, .lines = 1, .samples = 1};
        snprintf(one->bytes + SIZE * i, SIZE + 1, "{\"%05u\"}\n", numbers++ % 100000);
    }
    one->block = (struct delivery_block){.route = "",
                                         .bytes = (const uint8_t *)one->bytes,
                                         .size = SIZE * count,
                                         .records = one->records,
                                         .count = count,
                                         .epoch = "e"};
    one->in_flight = true;
    assert_true(http_client_send(http_scene.client, &one->block));
}

/* Returns the index in `sent` of the block that was answered. */
static size_t take(const struct http_result *result)
{
    size_t at = 0;
    while (&sent[at].block != result->block)
        at++;
    assert_true(sent[at].in_flight);
    sent[at].in_flight = false;
    return at;
}

static size_t wait_for_answer(void)
{
    struct http_result result = http_scene_await();
    return take(&result);
}

static void assert_outcome(size_t at, enum delivery_outcome outcome)
{
    for (size_t i = 0; i < sent[at].block.count; i++)
        assert_int_equal(sent[at].records[i].outcome, outcome);
}

TEST(answers_in_any_order_are_each_for_their_block)
{
    static const struct curl_step steps[] = {{.after = 2, .status = 200, .head = "\r\n"},
                                             {.after = 1, .status = 400, .head = "\r\n"},
                                             {.status = 503, .head = "\r\n"}};
    static const enum delivery_outcome outcomes[] = {DELIVERY_ACKNOWLEDGED, DELIVERY_REFUSED,
                                                     DELIVERY_NOT_SENT};
    begin(CURL_STEPS(steps));
    for (size_t i = 0; i < 3; i++)
        send_block(i, 1);
    for (size_t i = 0; i < 3; i++)
        wait_for_answer();
    for (size_t i = 0; i < 3; i++)
        assert_outcome(i, outcomes[i]);
    http_scene_end();
}

TEST(an_answer_after_the_stop_is_not_of_the_next_block)
{
    static const struct curl_step steps[] = {
        {.after = CURL_DOUBLE_NEVER - 1, .status = 200, .head = "\r\n"}, {.what = NEVER_ANSWERS}};
    struct http_result result;
    begin(CURL_STEPS(steps));
    send_block(0, 2);
    curl_double_wait_for(&curl_double.sent, 1);
    http_client_abandon(http_scene.client);
    assert_true(http_client_answer(http_scene.client, &result));
    assert_outcome(take(&result), DELIVERY_UNKNOWN);
    curl_double_release();
    send_block(0, 2);
    curl_double_wait_for(&curl_double.added, 2);
    http_client_abandon(http_scene.client);
    assert_true(http_client_answer(http_scene.client, &result));
    size_t at = take(&result);
    assert_int_not_equal(sent[at].records[0].outcome, DELIVERY_ACKNOWLEDGED);
    http_scene_end();
}

TEST(a_request_whose_end_is_reported_twice_ends_once)
{
    static const struct curl_step steps[] = {{.repeats = 2, .status = 200, .head = "\r\n"},
                                             {.status = 400, .head = "\r\n"}};
    begin(CURL_STEPS(steps));
    send_block(0, 1);
    assert_outcome(wait_for_answer(), DELIVERY_ACKNOWLEDGED);
    send_block(0, 1);
    assert_outcome(wait_for_answer(), DELIVERY_REFUSED);
    http_scene_end();
}

TEST(requests_that_wait_for_a_lookup_at_a_stop_are_not_sent)
{
    static const struct curl_step steps[] = {
        {.status = 200, .head = "\r\n"}, {.what = NEVER_BEGINS}, {.what = NEVER_BEGINS}};
    struct http_result result;
    begin(CURL_STEPS(steps));
    send_block(0, 1);
    wait_for_answer();
    send_block(0, 1);
    send_block(1, 2);
    curl_double_wait_for(&curl_double.added, 3);
    http_client_abandon(http_scene.client);
    for (size_t i = 0; i < 2; i++) {
        assert_true(http_client_answer(http_scene.client, &result));
        assert_outcome(take(&result), DELIVERY_NOT_SENT);
    }
    http_scene_end();
}

/* --- everything, by chance -------------------------------------------------------------------- */

#define NUMBERS 4096

/* The state of each record at the server. */
static struct {
    uint64_t random, library_random;
    bool arrived[NUMBERS], acknowledged[NUMBERS];
} chance;

static bool happens(unsigned percent)
{
    return next_below(&chance.random, 100) < percent;
}

static bool library_does(unsigned percent)
{
    return next_below(&chance.library_random, 100) < percent;
}

/* Decides what libcurl does with a request. The client's thread calls this. */
static void decide(const char *body, size_t size, struct curl_step *step)
{
    static const long statuses[] = {200, 204, 400, 403, 413, 429, 500, 503};
    *step = (struct curl_step){
        .what = library_does(15) ? NEVER_ANSWERS : ANSWERS,
        .status = statuses[next_below(&chance.library_random, library_does(60) ? 2 : 8)],
        .head = library_does(90) ? "\r\n" : "X: y\r\n",
        .result = library_does(90) ? CURLE_OK : CURLE_RECV_ERROR,
        .after =
            library_does(20) ? curl_double.answered + next_below(&chance.library_random, 3) : 0,
        .repeats = library_does(10),
    };
    bool whole = step->what == ANSWERS && step->head[0] == '\r' && step->result == CURLE_OK;
    for (size_t at = 0; at + SIZE <= size; at += SIZE) {
        unsigned long number = strtoul(body + at + 2, NULL, 10);
        chance.arrived[number] = true;
        chance.acknowledged[number] = whole && step->status < 300;
    }
}

static void judge(size_t at)
{
    for (size_t i = 0; i < sent[at].block.count; i++) {
        unsigned long number = strtoul(sent[at].bytes + SIZE * i + 2, NULL, 10);
        enum delivery_outcome outcome = sent[at].records[i].outcome;
        if (outcome == DELIVERY_ACKNOWLEDGED)
            assert_true(chance.acknowledged[number]);
        if (outcome == DELIVERY_UNKNOWN)
            assert_true(chance.arrived[number]);
        if (!chance.arrived[number])
            assert_int_equal(outcome, DELIVERY_NOT_SENT);
    }
}

static void take_all(void)
{
    struct http_result result;
    while (http_client_answer(http_scene.client, &result))
        judge(take(&result));
}

static void run_by_chance(uint64_t seed)
{
    static struct curl_step steps[NUMBERS];
    memset(&chance, 0, sizeof chance);
    chance.random = seed;
    chance.library_random = ~seed;
    for (size_t i = 0; i < NUMBERS; i++) {
        static const struct curl_step lookup = {.what = NEVER_BEGINS},
                                      fails = {.what = FAILS_AT_ONCE,
                                               .result = CURLE_COULDNT_CONNECT},
                                      sends = {.what = ANSWERS};
        steps[i] = happens(5) ? lookup : happens(10) ? fails : sends;
    }
    begin(CURL_STEPS(steps));
    curl_double.decide = decide;
    for (size_t round = 0; round < 40; round++) {
        for (size_t i = 0; i < BLOCKS; i++)
            if (!sent[i].in_flight && numbers + RECORDS < NUMBERS)
                send_block(i, 1 + (size_t)next_below(&chance.random, RECORDS));
        wakeup_wait(http_scene.wakeup, NO_HANDLE, false, 1);
        take_all();
        if (!happens(30))
            continue;
        http_client_abandon(http_scene.client);
        take_all();
        for (size_t i = 0; i < BLOCKS; i++)
            assert_false(sent[i].in_flight); /* every block was returned */
    }
    http_client_abandon(http_scene.client);
    take_all();
    http_scene_end();
}

TEST(each_record_has_the_outcome_that_its_server_gave)
{
    for (uint64_t seed = 1; seed <= TEST_TRIES(40); seed++)
        run_by_chance(seed);
}
