/*
 * Tests a kafka: destination whose library is late, fails, reports out of order, twice or never,
 * and looks up a name for 15 seconds. The library is a double (kafka_double.h). Time is simulated:
 * it passes only while the destination waits.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/destinations.h"
#include "tests/support/base/random_number.h"
#include "tests/support/sinks/delivery_lines.h"
#include "tests/support/sinks/kafka_double.h"
#include "tests/support/test.h"

#define MILLISECONDS INT64_C(1000000)
#define SECONDS      INT64_C(1000000000)
#define LOOKUP       (15 * SECONDS)

/* --- simulated time --------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t sink; /* the thread of the test, which acts as the sink's thread */
    _Atomic int64_t now_ns;
    _Atomic size_t waiting; /* number of threads that wait for a lookup */
} simulated = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void pass(int64_t ns)
{
    pthread_mutex_lock(&simulated.lock);
    atomic_fetch_add(&simulated.now_ns, ns);
    pthread_cond_broadcast(&simulated.changed);
    pthread_mutex_unlock(&simulated.lock);
}

int64_t __wrap_clock_monotonic_ns(void);
int64_t __wrap_clock_monotonic_ns(void)
{
    return atomic_load(&simulated.now_ns);
}

/*
 * Waits only until other threads have done their work, and does not wait for threads in a lookup.
 * The simulated time advances instead.
 */
enum wakeup_reason __real_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms);
enum wakeup_reason __wrap_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms);
enum wakeup_reason __wrap_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms)
{
    for (;;) {
        enum wakeup_reason reason = __real_wakeup_wait(wakeup, handle, want_write, 1);
        if (reason != WAKEUP_TIMEOUT)
            return reason;
        if (atomic_load(&simulated.waiting) != 0 && timeout_ms >= 0) {
            pass(timeout_ms * MILLISECONDS);
            return WAKEUP_TIMEOUT;
        }
    }
}

/* --- the library's behaviour ------------------------------------------------------------------ */

static struct {
    /*
     * The library's reports of the messages in turn. The last report is repeated for all further
     * messages.
     */
    const struct kafka_report *reports;
    size_t report_count;
    rd_kafka_resp_err_t refusal; /* of the first `refusals` messages; 0 means none is refused */
    size_t refusals;
    size_t handed, changed;
    bool no_producer;
} fake;

static int64_t fake_now(void)
{
    return atomic_load(&simulated.now_ns);
}

/*
 * A wait of the sink's thread advances the time. All other threads wait until the time has
 * advanced.
 */
static void fake_wait(int64_t until_ns, bool busy)
{
    if (pthread_equal(pthread_self(), simulated.sink)) {
        pass(until_ns - fake_now());
        return;
    }
    pthread_mutex_lock(&simulated.lock);
    simulated.waiting += busy;
    while (simulated.now_ns < until_ns)
        pthread_cond_wait(&simulated.changed, &simulated.lock);
    simulated.waiting -= busy;
    pthread_mutex_unlock(&simulated.lock);
}

static rd_kafka_resp_err_t fake_decide(const struct kafka_double_message *message,
                                       struct kafka_report *report)
{
    (void)message;
    if (fake.refusals != 0) {
        fake.refusals--;
        return fake.refusal;
    }
    if (fake.report_count != 0)
        *report =
            fake.reports[fake.handed < fake.report_count ? fake.handed : fake.report_count - 1];
    fake.handed++;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void fake_changed(const struct kafka_double_message *message)
{
    (void)message;
    fake.changed++;
}

static bool fake_refuses(void)
{
    return fake.no_producer;
}

static const struct kafka_double_world library = {.now_ns = fake_now,
                                                  .wait = fake_wait,
                                                  .decide = fake_decide,
                                                  .changed = fake_changed,
                                                  .refuses = fake_refuses};

/* --- the sink --------------------------------------------------------------------------------- */

static struct wakeup *wakeup;
static struct destination *destination;
static struct error error;
static int64_t retry_after;

#define REPORTS(reports) (reports), sizeof(reports) / sizeof(reports)[0]

static void begin(const struct kafka_report *reports, size_t count)
{
    static const struct encoder_ops encoder = {.name = "json"};
    memset(&fake, 0, sizeof fake);
    fake.reports = reports;
    fake.report_count = count;
    simulated.sink = pthread_self();
    atomic_store(&simulated.now_ns, SECONDS);
    kafka_double_begin(&library);
    assert_int_equal(wakeup_create(&wakeup, NULL), 0);
    static char path[] = "//broker:9092/t";
    static const struct sink_settings settings = {
        .delivery = {.timeout = UINT64_C(20000000000), .in_flight = 4},
        .broker = {.max_topics = 2},
        .encoder = &encoder};
    const struct destination_options options = {
        .name = "kafka:test", .path = path, .wakeup = wakeup, .settings = &settings};
    if (destination_kafka.create(&options, &destination, &error) != 0)
        fail_msg("%s", error.text);
}

/* Ends the test. Before that, each block must be answered, or the destination abandoned. */
static void end(void)
{
    destination->destroy(destination);
    wakeup_destroy(wakeup);
    assert_int_equal(kafka_double_producers(), 0);
    assert_int_equal(fake.changed, 0);
}

static void serve_for(int64_t ns)
{
    int64_t until_ns = fake_now() + ns;
    for (;;) {
        int64_t next_ns = kafka_double_tick();
        destination->delivery->serve(destination);
        int64_t now_ns = fake_now(), due_ns = destination->delivery->due(destination);
        if (now_ns >= until_ns)
            return;
        next_ns = due_ns < next_ns ? due_ns : next_ns;
        if (next_ns <= now_ns)
            next_ns = now_ns + MILLISECONDS;
        pass((next_ns < until_ns ? next_ns : until_ns) - now_ns);
    }
}

static struct delivery_block *answer(void)
{
    return destination->delivery->answer(destination, &error, &retry_after);
}

static void assert_outcomes(const struct delivery_lines *lines,
                            const enum delivery_outcome *outcomes)
{
    for (size_t i = 0; i < lines->block.count; i++)
        assert_int_equal(lines->records[i].outcome, outcomes[i]);
}

/* Makes a block whose bytes are allocated, because librdkafka may become their owner. */
static void make_lines(struct delivery_lines *lines, size_t count)
{
    delivery_lines_fill(lines, "t", count);
    char *bytes = malloc(sizeof lines->bytes);
    assert_non_null(bytes);
    memcpy(bytes, lines->bytes, sizeof lines->bytes);
    lines->block.bytes = (const uint8_t *)bytes;
    lines->block.keys = NULL;
}

static void send_lines(struct delivery_lines *lines, size_t count)
{
    make_lines(lines, count);
    delivery_lines_send(destination, lines);
}

/*
 * Overwrites and frees an answered block unless librdkafka still uses it, as the writer of the
 * delivery may.
 */
static void reuse(struct delivery_lines *lines)
{
    if (lines->block.lent)
        return;
    void *bytes = (void *)(uintptr_t)lines->block.bytes;
    memset(bytes, 'x', sizeof lines->bytes);
    free(bytes);
}

static void take_answer(struct delivery_lines *lines)
{
    assert_ptr_equal(answer(), &lines->block);
    reuse(lines);
}

/* --- late, early and unordered reports -------------------------------------------------------- */

TEST(reports_in_any_order_are_each_for_their_record)
{
    static const struct kafka_report reports[] = {
        {.after_ns = 30 * MILLISECONDS},
        {.after_ns = 20 * MILLISECONDS, .error = RD_KAFKA_RESP_ERR_INVALID_MSG},
        {.after_ns = 10 * MILLISECONDS,
         .error = RD_KAFKA_RESP_ERR__TIMED_OUT,
         .status = RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED},
        {.after_ns = 5 * MILLISECONDS, .error = RD_KAFKA_RESP_ERR__MSG_TIMED_OUT}};
    struct delivery_lines lines;
    begin(REPORTS(reports));
    send_lines(&lines, 4);
    serve_for(25 * MILLISECONDS);
    assert_null(answer());
    serve_for(10 * MILLISECONDS);
    take_answer(&lines);
    assert_outcomes(&lines, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED, DELIVERY_REFUSED,
                                                      DELIVERY_UNKNOWN, DELIVERY_NOT_SENT});
    end();
}

TEST(a_report_after_the_deadline_of_its_block_counts)
{
    static const struct kafka_report reports[] = {{.after_ns = 300 * SECONDS}};
    struct delivery_lines lines;
    begin(REPORTS(reports));
    send_lines(&lines, 3);
    serve_for(299 * SECONDS);
    assert_null(answer()); /* librdkafka still uses its bytes */
    serve_for(2 * SECONDS);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    end();
}

TEST(a_block_that_waits_for_such_a_report_is_given_back_in_time)
{
    static const struct kafka_report reports[] = {{.after_ns = 300 * SECONDS}};
    struct delivery_lines lines, next;
    begin(REPORTS(reports));
    send_lines(&lines, 3);
    send_lines(&next, 3);
    serve_for(21 * SECONDS);
    take_answer(&next);
    delivery_lines_assert(&next, DELIVERY_NOT_SENT);
    serve_for(280 * SECONDS);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    end();
}

/* --- repeated reports ------------------------------------------------------------------------- */

TEST(a_report_that_comes_twice_counts_once)
{
    static const struct kafka_report reports[] = {{.repeats = 3}, {.after_ns = SECONDS}};
    struct delivery_lines lines;
    begin(REPORTS(reports));
    send_lines(&lines, 3);
    serve_for(SECONDS / 2);
    assert_null(answer()); /* other reports are missing */
    serve_for(SECONDS);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    end();
}

TEST(a_report_that_comes_again_is_not_of_the_next_block)
{
    static const struct kafka_report reports[] = {
        {.repeats = 1, .repeat_after_ns = SECONDS},
        {.after_ns = 3 * SECONDS,
         .error = RD_KAFKA_RESP_ERR__TIMED_OUT,
         .status = RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED}};
    struct delivery_lines lines, next;
    begin(REPORTS(reports));
    send_lines(&lines, 1);
    serve_for(0);
    take_answer(&lines);
    send_lines(&next, 1);
    serve_for(2 * SECONDS);
    assert_null(answer());
    serve_for(2 * SECONDS);
    take_answer(&next);
    delivery_lines_assert(&next, DELIVERY_UNKNOWN);
    end();
}

/* --- calls that fail -------------------------------------------------------------------------- */

TEST(messages_that_the_library_does_not_take_are_not_sent)
{
    struct delivery_lines lines;
    begin(NULL, 0);
    fake.refusal = RD_KAFKA_RESP_ERR__QUEUE_FULL;
    fake.refusals = 2;
    send_lines(&lines, 3);
    serve_for(0);
    take_answer(&lines);
    assert_outcomes(&lines, (enum delivery_outcome[]){DELIVERY_NOT_SENT, DELIVERY_NOT_SENT,
                                                      DELIVERY_ACKNOWLEDGED});
    end();
}

/* The blocks wait until a new producer can be created. */
TEST(a_producer_that_fails_is_replaced_when_all_is_reported)
{
    static const struct kafka_report reports[] = {{.after_ns = KAFKA_DOUBLE_NEVER,
                                                   .status = RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED,
                                                   .error = RD_KAFKA_RESP_ERR__FATAL},
                                                  {.after_ns = 0}};
    struct delivery_lines lines, next;
    begin(REPORTS(reports));
    send_lines(&lines, 1);
    serve_for(SECONDS);
    kafka_double_fail_fatally();
    fake.no_producer = true;
    serve_for(SECONDS / 2);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    send_lines(&next, 2);
    serve_for(3 * SECONDS);
    assert_null(answer());
    fake.no_producer = false;
    serve_for(2 * SECONDS);
    take_answer(&next);
    delivery_lines_assert(&next, DELIVERY_ACKNOWLEDGED);
    end();
}

/* --- missing reports -------------------------------------------------------------------------- */

static const struct kafka_report never_sent = {.after_ns = KAFKA_DOUBLE_NEVER,
                                               .error = RD_KAFKA_RESP_ERR__MSG_TIMED_OUT};
static const struct kafka_report never_answered = {.after_ns = KAFKA_DOUBLE_NEVER,
                                                   .error = RD_KAFKA_RESP_ERR__TIMED_OUT,
                                                   .status =
                                                       RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED};

TEST(at_a_stop_what_was_sent_is_unknown_and_the_rest_is_not_sent)
{
    const struct kafka_report reports[] = {{0}, never_answered, never_sent};
    struct delivery_lines lines;
    begin(REPORTS(reports));
    send_lines(&lines, 4);
    serve_for(SECONDS);
    assert_null(answer());
    destination->delivery->abandon(destination);
    take_answer(&lines);
    assert_false(lines.block.lent);
    assert_outcomes(&lines, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED, DELIVERY_UNKNOWN,
                                                      DELIVERY_NOT_SENT, DELIVERY_NOT_SENT});
    end();
}

/* --- lookups of names ------------------------------------------------------------------------- */

static int64_t begin_lookup(struct delivery_lines *lines, const struct kafka_report *report)
{
    begin(report, report != NULL);
    kafka_double_look_up(SECONDS + LOOKUP);
    send_lines(lines, 5);
    serve_for(SECONDS);
    assert_null(answer());
    return fake_now();
}

static void end_lookup(void)
{
    wakeup_destroy(wakeup);
    pass(LOOKUP);
    while (kafka_double_producers() != 0)
        sched_yield();
}

TEST(reports_that_come_after_a_lookup_count)
{
    struct delivery_lines lines;
    begin_lookup(&lines, NULL);
    serve_for(LOOKUP);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    end();
}

/*
 * The stop may take one second. It waits 200 ms for the reports, and 500 ms for the end of the
 * producer.
 */
TEST(a_stop_does_not_wait_for_a_lookup)
{
    struct delivery_lines lines;
    int64_t began_ns = begin_lookup(&lines, NULL);
    destination->delivery->abandon(destination);
    take_answer(&lines);
    destination->destroy(destination);
    assert_true(fake_now() - began_ns < SECONDS);
    end_lookup();
}

TEST(blocks_that_are_not_reported_stay_lent_to_the_library)
{
    struct delivery_lines lines;
    begin_lookup(&lines, NULL);
    destination->delivery->abandon(destination);
    take_answer(&lines);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    assert_true(lines.block.lent);
    destination->destroy(destination);
    end_lookup();
    assert_int_equal(fake.changed, 0);
}

/* No other block is accepted while this one is lent, because it would have the same tokens. */
TEST(while_a_block_is_lent_no_other_one_is_taken)
{
    struct delivery_lines lines, next;
    begin_lookup(&lines, NULL);
    destination->delivery->abandon(destination);
    take_answer(&lines);
    delivery_lines_fill(&next, "t", 1);
    assert_false(destination->delivery->send(destination, &next.block, &error));
    destination->destroy(destination);
    end_lookup();
}

/* --- random reports --------------------------------------------------------------------------- */

#define BLOCKS  8
#define RECORDS 6

/* The state of a record in the library. */
struct known {
    bool handed, reported;
    rd_kafka_resp_err_t error;
    rd_kafka_msg_status_t status;
};

static struct {
    uint64_t random;
    struct delivery_lines lines[BLOCKS];
    struct known known[BLOCKS][RECORDS];
    bool sent[BLOCKS];
} chance;

static bool happens(unsigned percent)
{
    return next_below(&chance.random, 100) < percent;
}

static struct known *known_of(const struct kafka_double_message *message)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        uintptr_t begin = (uintptr_t)chance.lines[i].block.bytes, at = (uintptr_t)message->bytes;
        for (size_t r = 0; chance.sent[i] && r < chance.lines[i].block.count; r++)
            if (at == begin + chance.lines[i].records[r].offset)
                return &chance.known[i][r];
    }
    return NULL;
}

static rd_kafka_resp_err_t chance_decide(const struct kafka_double_message *message,
                                         struct kafka_report *report)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR_INVALID_MSG,
        RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__TIMED_OUT};
    struct known *known = known_of(message);
    assert_non_null(known);
    if (happens(5))
        return RD_KAFKA_RESP_ERR__QUEUE_FULL;
    *known = (struct known){.handed = true};
    report->after_ns = happens(5)    ? KAFKA_DOUBLE_NEVER
                       : happens(20) ? (int64_t)next_below(&chance.random, 40) * SECONDS
                                     : (int64_t)next_below(&chance.random, 50) * MILLISECONDS;
    report->repeats = happens(10) ? 1 + (unsigned)next_below(&chance.random, 3) : 0;
    report->repeat_after_ns = happens(50) ? 0 : (int64_t)next_below(&chance.random, 2 * SECONDS);
    if (happens(20)) {
        report->error = errors[next_below(&chance.random, sizeof errors / sizeof errors[0])];
        report->status = happens(50) ? RD_KAFKA_MSG_STATUS_NOT_PERSISTED
                                     : RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED;
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void chance_reported(const struct kafka_double_message *message,
                            rd_kafka_resp_err_t error_of_it, rd_kafka_msg_status_t status)
{
    struct known *known = known_of(message);
    if (known != NULL) { /* NULL if its block was given up and another one is in its place */
        known->reported = true;
        known->error = error_of_it;
        known->status = status;
    }
}

/*
 * A record must count as written only if the library reported it as stored, and as unknown if the
 * library does not know the outcome.
 */
static void judge_record(const struct known *known, enum delivery_outcome outcome)
{
    if (!known->handed)
        assert_int_equal(outcome, DELIVERY_NOT_SENT);
    else if (!known->reported || known->status == RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED)
        assert_int_equal(outcome, DELIVERY_UNKNOWN);
    else if (known->status == RD_KAFKA_MSG_STATUS_PERSISTED)
        assert_int_equal(outcome, DELIVERY_ACKNOWLEDGED);
    else
        assert_true(outcome == DELIVERY_NOT_SENT || outcome == DELIVERY_REFUSED);
}

static size_t take_answers(void)
{
    size_t count = 0;
    struct delivery_block *block;
    while ((block = answer()) != NULL) {
        size_t at = 0;
        while (&chance.lines[at].block != block)
            at++;
        assert_true(chance.sent[at]);
        for (size_t i = 0; i < block->count; i++)
            judge_record(&chance.known[at][i], chance.lines[at].records[i].outcome);
        chance.sent[at] = false;
        reuse(&chance.lines[at]);
        count++;
    }
    return count;
}

static void send_one(void)
{
    for (size_t i = 0; i < BLOCKS; i++)
        if (!chance.sent[i]) {
            struct delivery_lines *lines = &chance.lines[i];
            memset(chance.known[i], 0, sizeof chance.known[i]);
            make_lines(lines, 1 + (size_t)next_below(&chance.random, RECORDS));
            chance.sent[i] = true;
            chance.sent[i] = destination->delivery->send(destination, &lines->block, &error);
            if (!chance.sent[i])
                reuse(lines);
            return;
        }
}

static void run_by_chance(uint64_t seed)
{
    static struct kafka_double_world world;
    begin(NULL, 0);
    world = library;
    world.decide = chance_decide;
    world.reported = chance_reported;
    kafka_double_begin(&world);
    memset(&chance, 0, sizeof chance);
    chance.random = seed;
    for (size_t i = 0; i < 60; i++) {
        if (happens(60))
            send_one();
        if (happens(5))
            kafka_double_fail_fatally();
        if (happens(3))
            kafka_double_look_up(fake_now() + LOOKUP);
        fake.no_producer = happens(20);
        serve_for((int64_t)next_below(&chance.random, happens(10) ? 20 * SECONDS : SECONDS / 10));
        take_answers();
    }
    int64_t began_ns = fake_now();
    destination->delivery->abandon(destination);
    take_answers();
    for (size_t i = 0; i < BLOCKS; i++)
        assert_false(chance.sent[i]);
    destination->destroy(destination);
    assert_true(fake_now() - began_ns < SECONDS);
    end_lookup();
    assert_int_equal(fake.changed, 0);
}

TEST(each_record_has_the_outcome_that_the_library_knows)
{
    for (uint64_t seed = 1; seed <= TEST_TRIES(500); seed++)
        run_by_chance(seed);
}
