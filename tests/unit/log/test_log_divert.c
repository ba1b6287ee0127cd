#include <string.h>

#include "collector/log/log.h"
#include "tests/support/test.h"

static struct {
    bool refuses;
    enum log_level level;
    char text[2048];
    size_t calls;
} taken;

static bool take(enum log_level level, const char *lines, size_t size)
{
    assert_true(size < sizeof taken.text);
    taken.calls++;
    if (taken.refuses)
        return false;
    taken.level = level;
    memcpy(taken.text, lines, size);
    taken.text[size] = '\0';
    return true;
}

static int divert(void **state)
{
    (void)state;
    memset(&taken, 0, sizeof taken);
    log_divert(take);
    return 0;
}

static int restore(void **state)
{
    (void)state;
    log_divert(NULL);
    return 0;
}

TEST_WITH(a_line_comes_with_its_level_and_without_a_prefix, divert, restore)
{
    (void)state;
    static const enum log_level levels[] = {LOG_ERROR, LOG_WARNING, LOG_INFO};
    for (size_t i = 0; i < 3; i++) {
        log_line(levels[i], "no %d\nleft", 5);
        assert_int_equal(taken.level, levels[i]);
        assert_string_equal(taken.text, "no 5?left\n");
    }
    assert_int_equal(taken.calls, 3);
}

TEST_WITH(a_text_comes_as_it_is, divert, restore)
{
    (void)state;
    static const char ledger[] = "ledger\n  received 5\n";
    assert_true(log_text(LOG_INFO, ledger, strlen(ledger), 0));
    assert_string_equal(taken.text, ledger);
    assert_int_equal(taken.level, LOG_INFO);
}

TEST_WITH(what_is_not_taken_is_reported_later, divert, restore)
{
    (void)state;
    taken.refuses = true;
    log_line(LOG_INFO, "one");
    log_line(LOG_ERROR, "two");
    assert_false(log_text(LOG_INFO, "ledger\n", 7, 0));
    taken.refuses = false;
    log_line(LOG_WARNING, "three");
    assert_string_equal(taken.text, "2 lines were lost\nthree\n");
    assert_int_equal(taken.level, LOG_WARNING);
    log_line(LOG_INFO, "four");
    assert_string_equal(taken.text, "four\n");
}

TEST_WITH(diverted_no_longer_it_goes_to_stderr, divert, restore)
{
    (void)state;
    log_divert(NULL);
    log_line(LOG_INFO, "this is for stderr");
    assert_int_equal(taken.calls, 0);
}
