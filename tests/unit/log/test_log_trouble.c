/*
 * Tests the log lines about a lasting trouble in simulated time: which are written, and that there
 * are few.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/log/log_trouble.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)
#define STEP   (SECOND / 4)
#define START  (1000 * SECOND)
#define LINES  2000

static struct {
    struct log_budget budget;
    int64_t lines_ns[LINES];
    size_t count;
} book;

static void begin(void)
{
    memset(&book, 0, sizeof book);
}

static void write_line(int64_t now_ns)
{
    assert_true(book.count < LINES);
    book.lines_ns[book.count++] = now_ns;
}

static void step(struct log_trouble *trouble, bool is_there, int64_t now_ns)
{
    bool due = is_there && now_ns >= log_trouble_due(trouble, &book.budget);
    bool written = is_there ? log_trouble_note(trouble, &book.budget, now_ns)
                            : log_trouble_end(trouble, &book.budget, now_ns);
    if (is_there)
        assert_true(written == due);
    if (written)
        write_line(now_ns);
}

/*
 * Simulates the seconds from `from` to `until`. There is a trouble in the first `lasts` seconds of
 * each `period`.
 */
static void repeat(struct log_trouble *trouble, int64_t from, int64_t until, int64_t lasts,
                   int64_t period)
{
    for (int64_t at = from * SECOND; at < until * SECOND; at += STEP)
        step(trouble, (at - from * SECOND) % (period * SECOND) < lasts * SECOND, START + at);
}

static void assert_lines(size_t count, const int64_t *seconds)
{
    assert_int_equal(book.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal((book.lines_ns[i] - START) / SECOND, seconds[i]);
}

static void assert_few(void)
{
    for (size_t i = LOG_BUDGET_LINES; i < book.count; i++)
        assert_true(book.lines_ns[i] - book.lines_ns[i - LOG_BUDGET_LINES] >= LOG_BUDGET_NS);
}

TEST(a_trouble_that_lasts_is_logged_at_growing_intervals_and_once_at_its_end)
{
    begin();
    struct log_trouble trouble = {0};
    static const int64_t expected[] = {0, 2, 10, 42, 170, 682, 1194, 1706, 2000};
    repeat(&trouble, 0, 2001, 2000, 2001);
    assert_lines(9, expected);
    assert_few();
}

TEST(a_trouble_that_comes_and_goes_has_ten_lines_in_a_quarter_of_an_hour)
{
    begin();
    struct log_trouble trouble = {0};
    static const int64_t expected[] = {0, 1, 10, 11, 50, 51, 180, 181, 540, 541};
    repeat(&trouble, 0, 900, 1, 2);
    assert_lines(10, expected);
    assert_int_equal(trouble.unlogged, 179); /* since the line at 541 s */
    repeat(&trouble, 900, 7200, 1, 2);
    assert_few();
}

TEST(a_trouble_after_the_end_of_a_long_one_is_logged_at_once)
{
    begin();
    struct log_trouble trouble = {0};
    static const int64_t expected[] = {0, 2, 10, 42, 170, 600, 605};
    repeat(&trouble, 0, 605, 600, 605);
    assert_false(trouble.is_logged);
    repeat(&trouble, 605, 606, 1, 1);
    assert_lines(7, expected);
}

TEST(a_trouble_that_lasts_is_logged_within_six_minutes_of_troubles_that_did_not)
{
    for (int64_t begun = 20; begun < 1800; begun += 7) {
        struct log_trouble trouble = {0};
        begin();
        repeat(&trouble, 0, begun, 1, 3);
        size_t before = book.count;
        bool was_logged = trouble.is_logged;
        repeat(&trouble, begun, begun + 371, 371, 371);
        assert_true(was_logged || book.count > before);
    }
}

TEST(two_troubles_of_one_part_share_the_lines)
{
    begin();
    struct log_trouble first = {0}, second = {0};
    size_t logged = 0;
    srand(1);
    bool is_there[2] = {false, false};
    for (int64_t at = 0; at < 20000 * SECOND; at += SECOND) {
        for (int i = 0; i < 2; i++)
            if (rand() % 30 == 0)
                is_there[i] = !is_there[i];
        step(&first, is_there[0], START + at);
        step(&second, is_there[1], START + at);
        logged += second.is_logged;
        assert_int_equal(book.budget.ends, first.is_logged + second.is_logged);
    }
    assert_few();
    assert_true(logged > 0 && book.count > 100);
}
