#include <stdio.h>
#include <string.h>

#include "collector/log/log_entry.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

/* 2001-09-09T01:46:40.000000005Z */
#define WHEN INT64_C(1000000000000000005)

static char line[LOG_LINE_SIZE + 1];

PRINTF_LIKE(5, 6)
static struct log_entry entry_of(enum log_level level, enum log_subject subject, const char *name,
                                 bool named, const char *format, ...)
{
    struct log_entry entry;
    va_list arguments;
    va_start(arguments, format);
    log_entry_make(&entry, level, subject, name, named, format, arguments);
    va_end(arguments);
    return entry;
}

static const char *written(const struct log_entry *entry, uint64_t repeated, enum log_format format,
                           enum log_place place)
{
    memset(line, '#', sizeof line);
    size_t size = log_entry_write(entry, repeated, format, place, WHEN, line);
    assert_in_range(size, 1, LOG_LINE_SIZE);
    assert_int_equal(line[LOG_LINE_SIZE], '#');
    line[size] = '\0';
    return line;
}

TEST(text_has_the_name_before_the_message)
{
    const struct log_entry entry =
        entry_of(LOG_ERROR, LOG_OF_SINK, "file:a", false, "is %s", "full");
    assert_string_equal(written(&entry, 0, LOG_TEXT, LOG_ON_STREAM),
                        "sluice: error: file:a: is full\n");
    assert_string_equal(written(&entry, 0, LOG_TEXT, LOG_ELSEWHERE), "file:a: is full\n");
    const struct log_entry colon =
        entry_of(LOG_WARNING, LOG_OF_SINK, "stdout:", false, "refused 2 records");
    assert_string_equal(written(&colon, 0, LOG_TEXT, LOG_ELSEWHERE), "stdout: refused 2 records\n");
    const struct log_entry naming =
        entry_of(LOG_INFO, LOG_OF_LISTENER, "udp://a:1", true, "listening on udp://a:1");
    assert_string_equal(written(&naming, 0, LOG_TEXT, LOG_ON_STREAM),
                        "sluice: listening on udp://a:1\n");
}

TEST(on_a_terminal_with_colours_how_bad_it_is_has_one)
{
    const struct log_entry error = entry_of(LOG_ERROR, LOG_OF_PROGRAM, NULL, false, "full");
    const struct log_entry warning = entry_of(LOG_WARNING, LOG_OF_PROGRAM, NULL, false, "careful");
    const struct log_entry info = entry_of(LOG_INFO, LOG_OF_PROGRAM, NULL, false, "done");
    assert_string_equal(written(&error, 0, LOG_TEXT, LOG_ON_TERMINAL),
                        "sluice: \033[31merror:\033[0m full\n");
    assert_string_equal(written(&warning, 0, LOG_TEXT, LOG_ON_TERMINAL),
                        "sluice: \033[33mwarning:\033[0m careful\n");
    assert_string_equal(written(&info, 0, LOG_TEXT, LOG_ON_TERMINAL), "sluice: done\n");
    assert_string_equal(written(&info, 0, LOG_TEXT, LOG_ON_TERMINAL_DATED),
                        "2001-09-09T01:46:40.000Z sluice: done\n");
    assert_null(strchr(written(&error, 0, LOG_JSON, LOG_ON_TERMINAL), '\033'));
}

TEST(text_begins_with_its_time_where_lines_are_dated)
{
    const struct log_entry entry = entry_of(LOG_WARNING, LOG_OF_PROGRAM, NULL, false, "careful");
    char dated[LOG_LINE_SIZE];
    const struct {
        int64_t time_ns;
        const char *text;
    } cases[] = {
        {INT64_C(1767323045678999999), "2026-01-02T03:04:05.678Z sluice: warning: careful\n"},
        {0, "1970-01-01T00:00:00.000Z sluice: warning: careful\n"},
        {-1, "1970-01-01T00:00:00.000Z sluice: warning: careful\n"},
        {INT64_MAX, "2262-04-11T23:47:16.854Z sluice: warning: careful\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size =
            log_entry_write(&entry, 0, LOG_TEXT, LOG_ON_STREAM_DATED, cases[i].time_ns, dated);
        dated[size] = '\0';
        assert_string_equal(dated, cases[i].text);
    }
}

TEST(json_has_the_name_as_a_member)
{
    const struct log_entry sink = entry_of(LOG_ERROR, LOG_OF_SINK, "file:a", false, "is full");
    const struct log_entry listener =
        entry_of(LOG_INFO, LOG_OF_LISTENER, "udp://a:1", true, "listening on udp://a:1");
    const struct log_entry letters =
        entry_of(LOG_INFO, LOG_OF_DEAD_LETTERS, "file:b", false, "reopened");
    const struct log_entry program = entry_of(LOG_WARNING, LOG_OF_PROGRAM, NULL, false, "careful");
    assert_string_equal(written(&sink, 0, LOG_JSON, LOG_ON_STREAM),
                        "{\"time\":\"2001-09-09T01:46:40.000000005Z\",\"level\":\"error\","
                        "\"sink\":\"file:a\",\"message\":\"is full\"}\n");
    assert_string_equal(written(&listener, 0, LOG_JSON, LOG_ELSEWHERE),
                        "{\"time\":\"2001-09-09T01:46:40.000000005Z\",\"level\":\"info\","
                        "\"listener\":\"udp://a:1\",\"message\":\"listening on udp://a:1\"}\n");
    assert_string_equal(written(&letters, 0, LOG_JSON, LOG_ON_STREAM),
                        "{\"time\":\"2001-09-09T01:46:40.000000005Z\",\"level\":\"info\","
                        "\"dead_letter\":\"file:b\",\"message\":\"reopened\"}\n");
    assert_string_equal(written(&program, 0, LOG_JSON, LOG_ON_STREAM),
                        "{\"time\":\"2001-09-09T01:46:40.000000005Z\",\"level\":\"warning\","
                        "\"message\":\"careful\"}\n");
}

TEST(in_the_journal_a_line_begins_with_its_level)
{
    static const char *const begins[] = {"<3>", "<4>", "<6>"};
    static const enum log_level levels[] = {LOG_ERROR, LOG_WARNING, LOG_INFO};
    for (size_t i = 0; i < 3; i++) {
        char expected[64];
        const struct log_entry entry = entry_of(levels[i], LOG_OF_SINK, "file:a", false, "is full");
        snprintf(expected, sizeof expected, "%sfile:a: is full\n", begins[i]);
        assert_string_equal(written(&entry, 0, LOG_TEXT, LOG_IN_JOURNAL), expected);
        snprintf(expected, sizeof expected, "%s{\"time\":", begins[i]);
        assert_memory_equal(written(&entry, 0, LOG_JSON, LOG_IN_JOURNAL), expected,
                            strlen(expected));
    }
}

TEST(repetitions_are_reported_as_syslog_does_or_with_the_message)
{
    const struct log_entry entry = entry_of(LOG_WARNING, LOG_OF_SINK, "file:a", false, "full");
    assert_string_equal(written(&entry, 1, LOG_TEXT, LOG_ON_STREAM),
                        "sluice: warning: last message repeated 1 time\n");
    assert_string_equal(written(&entry, 70, LOG_TEXT, LOG_IN_JOURNAL),
                        "<4>last message repeated 70 times\n");
    assert_string_equal(written(&entry, 70, LOG_JSON, LOG_ON_STREAM),
                        "{\"time\":\"2001-09-09T01:46:40.000000005Z\",\"level\":\"warning\","
                        "\"sink\":\"file:a\",\"message\":\"full\",\"repeated\":70}\n");
}

static void assert_is_json(const struct log_entry *entry)
{
    size_t size = strlen(written(entry, UINT64_MAX, LOG_JSON, LOG_ON_STREAM));
    assert_int_equal(line[size - 1], '\n');
    assert_null(memchr(line, '\n', size - 1));
    struct json_tree *tree = json_tree_read(line, size - 1);
    assert_non_null(tree);
    const struct json_tree *message = json_tree_member(tree, "message");
    assert_non_null(message);
    /* A message that is cut keeps at least a quarter of its text. */
    assert_true(message->size >= strlen(entry->message) / 4);
    assert_non_null(json_tree_member(tree, "sink"));
    json_tree_free(tree);
}

TEST(json_is_valid_whatever_is_in_it)
{
    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second += first < 0x80 ? 17 : 1) {
            const char text[] = {'a', (char)first, (char)second, 'b', '\0'};
            const struct log_entry entry =
                entry_of(LOG_ERROR, LOG_OF_SINK, text, false, "%s and %s", text, text);
            assert_is_json(&entry);
        }
    }
}

TEST(nor_does_its_length_matter)
{
    static const char *const units[] = {"x", "\"", "\\", "\xff", "\xf0\x9f\x8c\xa1", "\xe6\xb8"};
    static char longest[3000];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        longest[0] = '\0';
        for (size_t size = 0; size + 8 < sizeof longest; size += strlen(units[i])) {
            strcat(longest, units[i]);
            if (size % 97 != 0)
                continue;
            const struct log_entry entry =
                entry_of(LOG_ERROR, LOG_OF_SINK, longest, false, "%s", longest);
            assert_is_json(&entry);
            assert_in_range(strlen(written(&entry, 0, LOG_TEXT, LOG_ON_STREAM)), 1, 1023);
        }
    }
}

TEST(an_ordinary_message_is_not_cut_in_json)
{
    char text[LOG_TEXT_SIZE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const struct log_entry entry = entry_of(LOG_ERROR, LOG_OF_SINK, text, false, "%s", text);
    size_t size = strlen(written(&entry, 0, LOG_JSON, LOG_ON_STREAM));
    struct json_tree *tree = json_tree_read(line, size - 1);
    assert_non_null(tree);
    assert_true(json_tree_is_string(json_tree_member(tree, "message"), text));
    assert_true(json_tree_is_string(json_tree_member(tree, "sink"), text));
    json_tree_free(tree);
}
