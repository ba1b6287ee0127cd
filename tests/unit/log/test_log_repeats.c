#include <stdio.h>
#include <string.h>

#include "collector/log/log_repeats.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

static struct log_entry warning(const char *message)
{
    struct log_entry entry = {.level = LOG_WARNING, .subject = LOG_OF_SINK, .name = "file:a"};
    snprintf(entry.message, sizeof entry.message, "%s", message);
    return entry;
}

TEST(the_same_again_is_counted)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    const struct log_entry full = warning("full");
    assert_false(log_repeats_take(&repeats, &full, 5));
    log_repeats_begin(&repeats, &full, 5);
    assert_int_equal(log_repeats_due(&repeats), INT64_MAX);
    assert_true(log_repeats_take(&repeats, &full, 6));
    assert_true(log_repeats_take(&repeats, &full, 7));
    assert_int_equal(repeats.count, 2);
}

TEST(what_differs_in_anything_is_another)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    const struct log_entry full = warning("full");
    struct log_entry other = full;
    log_repeats_begin(&repeats, &full, 0);
    other.level = LOG_ERROR;
    assert_false(log_repeats_take(&repeats, &other, 1));
    other = full;
    other.subject = LOG_OF_LISTENER;
    assert_false(log_repeats_take(&repeats, &other, 1));
    other = full;
    other.name[5] = 'b';
    assert_false(log_repeats_take(&repeats, &other, 1));
    other = warning("fuller");
    assert_false(log_repeats_take(&repeats, &other, 1));
    assert_true(log_repeats_take(&repeats, &full, 1));
}

/* Lines at LOG_INFO may be answers to requests, so equal ones are not merged. */
TEST(information_is_never_merged)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    struct log_entry reopened = warning("reopened");
    reopened.level = LOG_INFO;
    log_repeats_begin(&repeats, &reopened, 0);
    assert_false(log_repeats_take(&repeats, &reopened, 1));
}

TEST(a_repetition_is_due_ten_seconds_after_the_first)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    const struct log_entry full = warning("full");
    log_repeats_begin(&repeats, &full, 0);
    assert_true(log_repeats_take(&repeats, &full, 4 * SECOND));
    assert_true(log_repeats_take(&repeats, &full, 9 * SECOND));
    assert_int_equal(log_repeats_due(&repeats), 14 * SECOND);
    log_repeats_reported(&repeats, 15 * SECOND);
    assert_int_equal(log_repeats_due(&repeats), INT64_MAX);
    assert_int_equal(repeats.count, 0);
    assert_true(log_repeats_take(&repeats, &full, 24 * SECOND)); /* the message continues */
    assert_int_equal(log_repeats_due(&repeats), 34 * SECOND);
    /* The count of repetitions is reported later than usual, but it is not lost. */
    assert_true(log_repeats_take(&repeats, &full, 50 * SECOND));
    assert_int_equal(repeats.count, 2);
}

TEST(after_ten_quiet_seconds_it_is_news)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    const struct log_entry full = warning("full");
    log_repeats_begin(&repeats, &full, 0);
    assert_false(log_repeats_take(&repeats, &full, 10 * SECOND));
    log_repeats_begin(&repeats, &full, 10 * SECOND);
    assert_true(log_repeats_take(&repeats, &full, 11 * SECOND));
    log_repeats_reported(&repeats, 21 * SECOND);
    assert_true(log_repeats_take(&repeats, &full, 31 * SECOND - 1));
    log_repeats_reported(&repeats, 41 * SECOND);
    assert_false(log_repeats_take(&repeats, &full, 51 * SECOND));
}

TEST(what_cannot_be_reported_stays_and_is_due_again)
{
    struct log_repeats repeats = {.interval_ns = 10 * SECOND};
    const struct log_entry full = warning("full");
    log_repeats_begin(&repeats, &full, 0);
    assert_true(log_repeats_take(&repeats, &full, SECOND));
    log_repeats_put_off(&repeats, 11 * SECOND);
    assert_int_equal(log_repeats_due(&repeats), 21 * SECOND);
    assert_int_equal(log_repeats_end(&repeats), 1);
    assert_int_equal(log_repeats_end(&repeats), 0);
    assert_int_equal(log_repeats_due(&repeats), INT64_MAX);
    assert_false(log_repeats_take(&repeats, &full, 12 * SECOND));
}
