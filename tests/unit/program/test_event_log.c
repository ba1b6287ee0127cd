/*
 * Tests that log lines become events of the Windows event log. The test checks the system calls,
 * because Wine has no event log.
 */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "collector/log/log.h"
#include "collector/program/messages.h"
#include "collector/program/windows/event_log.h"
#include "tests/support/test.h"

#define EVENTS_MAX 8

static struct {
    bool refuses;
    size_t count;
    struct reported {
        HANDLE log;
        WORD type;
        DWORD event;
        wchar_t *text;
    } events[EVENTS_MAX];
} reported;

static BOOL WINAPI record(HANDLE log, WORD type, WORD category, DWORD event, PSID user,
                          WORD text_count, DWORD data_size, LPCWSTR *texts, LPVOID data)
{
    assert_int_equal(category, 0);
    assert_null(user);
    assert_int_equal(text_count, 1);
    assert_int_equal(data_size, 0);
    assert_null(data);
    if (reported.refuses)
        return FALSE;
    assert_true(reported.count < EVENTS_MAX);
    reported.events[reported.count++] = (struct reported){log, type, event, _wcsdup(texts[0])};
    return TRUE;
}

static int begin(void **state)
{
    (void)state;
    memset(&reported, 0, sizeof reported);
    event_log_begin(L"sluice-test", record);
    return 0;
}

static int end(void **state)
{
    (void)state;
    event_log_end();
    for (size_t i = 0; i < reported.count; i++)
        free(reported.events[i].text);
    return 0;
}

static void assert_event(size_t at, const wchar_t *text)
{
    assert_true(at < reported.count);
    if (wcscmp(reported.events[at].text, text) != 0)
        fail_msg("event %zu is \"%ls\"", at, reported.events[at].text);
}

static char *long_text(size_t size, size_t newline)
{
    char *text = malloc(size + 2);
    assert_non_null(text);
    memset(text, 'x', size);
    if (newline < size)
        text[newline] = '\n';
    text[size] = '\n';
    text[size + 1] = '\0';
    return text;
}

TEST_WITH(each_line_is_an_event_whose_type_is_its_level, begin, end)
{
    (void)state;
    log_line(LOG_ERROR, "cannot %s", "go on");
    log_line(LOG_WARNING, "careful");
    log_line(LOG_INFO, "listening");
    assert_int_equal(reported.count, 3);
    assert_event(0, L"cannot go on");
    assert_event(1, L"careful");
    assert_event(2, L"listening");
    static const struct {
        WORD type;
        DWORD event;
    } kinds[] = {{EVENTLOG_ERROR_TYPE, EVENT_ERROR},
                 {EVENTLOG_WARNING_TYPE, EVENT_WARNING},
                 {EVENTLOG_INFORMATION_TYPE, EVENT_INFORMATION}};
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(reported.events[i].log);
        assert_int_equal(reported.events[i].type, kinds[i].type);
        assert_int_equal(reported.events[i].event, kinds[i].event);
    }
}

/* The upper two bits of an event's number are its severity, so they must be those of its type. */
TEST(the_numbers_of_events_stay_as_they_are_recorded)
{
    assert_int_equal(EVENT_INFORMATION, 0x40000001);
    assert_int_equal(EVENT_WARNING, 0x80000002);
    assert_int_equal(EVENT_ERROR, 0xc0000003);
}

TEST_WITH(a_ledger_is_one_event, begin, end)
{
    (void)state;
    static const char ledger[] = "ledger of 5 s\n  received 7\n  decoded  7\n";
    assert_true(log_text(LOG_INFO, ledger, strlen(ledger), 0));
    assert_int_equal(reported.count, 1);
    assert_event(0, L"ledger of 5 s\n  received 7\n  decoded  7");
    assert_int_equal(reported.events[0].type, EVENTLOG_INFORMATION_TYPE);
}

TEST_WITH(texts_are_utf_8_and_what_is_none_is_replaced, begin, end)
{
    (void)state;
    log_line(LOG_INFO, "K\xc3\xa4se \xf0\x9f\x8c\xa1");
    log_line(LOG_INFO, "cut \xe6\xb8");
    assert_event(0, L"K\u00e4se \xd83c\xdf21");
    assert_event(1, L"cut \ufffd");
}

TEST_WITH(the_longest_text_is_one_event, begin, end)
{
    (void)state;
    char *text = long_text(EVENT_TEXT_MAX, EVENT_TEXT_MAX);
    assert_true(log_text(LOG_INFO, text, EVENT_TEXT_MAX + 1, 0));
    assert_int_equal(reported.count, 1);
    assert_int_equal(wcslen(reported.events[0].text), EVENT_TEXT_MAX);
    free(text);
}

TEST_WITH(a_longer_text_is_several_events_of_whole_lines, begin, end)
{
    (void)state;
    char *text = long_text(EVENT_TEXT_MAX + 500, 20000);
    assert_true(log_text(LOG_INFO, text, EVENT_TEXT_MAX + 501, 0));
    assert_int_equal(reported.count, 2);
    assert_int_equal(wcslen(reported.events[0].text), 20000);
    assert_int_equal(wcslen(reported.events[1].text), EVENT_TEXT_MAX + 500 - 20001);
    free(text);
}

TEST_WITH(a_longer_line_is_cut_and_nothing_of_it_is_lost, begin, end)
{
    (void)state;
    const size_t size = 2 * (size_t)EVENT_TEXT_MAX + 1;
    char *text = long_text(size, size);
    assert_true(log_text(LOG_INFO, text, size + 1, 0));
    assert_int_equal(reported.count, 3);
    assert_int_equal(wcslen(reported.events[0].text), EVENT_TEXT_MAX);
    assert_int_equal(wcslen(reported.events[1].text), EVENT_TEXT_MAX);
    assert_event(2, L"x");
    free(text);
}

/*
 * The character U+1F321 is two units of UTF-16, and only the first one would be within the limit.
 */
TEST_WITH(a_long_line_is_not_cut_inside_a_character, begin, end)
{
    (void)state;
    char *text = long_text(EVENT_TEXT_MAX + 3, SIZE_MAX);
    memcpy(text + EVENT_TEXT_MAX - 1, "\xf0\x9f\x8c\xa1", 4);
    assert_true(log_text(LOG_INFO, text, EVENT_TEXT_MAX + 3, 0));
    assert_int_equal(reported.count, 2);
    assert_int_equal(wcslen(reported.events[0].text), EVENT_TEXT_MAX - 1);
    assert_event(1, L"\xd83c\xdf21");
    free(text);
}

TEST_WITH(an_event_that_is_not_taken_is_reported_later, begin, end)
{
    (void)state;
    reported.refuses = true;
    log_line(LOG_INFO, "one");
    reported.refuses = false;
    log_line(LOG_INFO, "two");
    assert_int_equal(reported.count, 1);
    assert_event(0, L"1 line was lost\ntwo");
}
