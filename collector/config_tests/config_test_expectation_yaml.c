/* Reads the expectations of a test (collector/config_tests/config_test_parts.h). */
#include <stdlib.h>
#include <string.h>

#include "collector/config_tests/config_test_parts.h"
#include "collector/text/copy.h"

static bool add_line(struct file_reading *reading, struct config_test_expectation *to,
                     const char *text, size_t size)
{
    struct config_test_text *line =
        config_test_add_element(reading, &to->lines, &to->line_count, sizeof *line);
    if (line == NULL)
        return false;
    line->data = text_copy(text, size);
    line->size = size;
    line->mark = reading->piece.mark;
    return line->data != NULL || file_no_memory(reading);
}

/* Adds the lines of a text; the last one needs no newline. */
static bool add_text(struct file_reading *reading, struct config_test_expectation *to)
{
    const char *at = reading->piece.text;
    const char *end = at + reading->piece.length;
    while (at != end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!add_line(reading, to, at, (size_t)((stop != NULL ? stop : end) - at)))
            return false;
        at = stop != NULL ? stop + 1 : end;
    }
    return true;
}

static bool take_lines(struct file_reading *reading, const struct config_test_key *key,
                       struct config_test_expectation *to, enum config_test_form form)
{
    if (to->form != CONFIG_TEST_FORM_NONE)
        return file_refuse(reading, reading->piece.mark,
                           "%s: an expectation can have only one of lines, like and bytes",
                           key->name);
    to->form = form;
    if (reading->piece.kind == PIECE_TEXT)
        return add_text(reading, to);
    if (reading->piece.kind != PIECE_LIST)
        return file_wrong_kind(reading, key->name, "a text or a list of lines");
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_LIST_END)
            return true;
        if (reading->piece.kind != PIECE_TEXT)
            return file_wrong_kind(reading, key->name, "a line");
        if (!add_line(reading, to, reading->piece.text, reading->piece.length))
            return false;
    }
    return false;
}

static bool take_count(struct file_reading *reading, const struct config_test_key *key,
                       struct config_test_expectation *to)
{
    struct config_test_text text = {.data = NULL};
    bool good = config_test_read_word(reading, key, &text);
    if (good) {
        good = text.size < 19 && strspn(text.data, "0123456789") == text.size;
        to->has_count = true;
        to->count = good ? strtoull(text.data, NULL, 10) : 0;
        good = (good && to->count != 0) ||
               file_refuse(reading, text.mark, "count must be a number of at least 1");
    }
    free(text.data);
    return good;
}

static bool take_expected_value(struct file_reading *reading, const struct config_test_key *key,
                                struct config_test_expectation *to)
{
    switch (key->id) {
    case CONFIG_TEST_KEY_SINK:
        return config_test_read_word(reading, key, &to->sink);
    case CONFIG_TEST_KEY_LINES:
        return take_lines(reading, key, to, CONFIG_TEST_FORM_LINES);
    case CONFIG_TEST_KEY_LIKE:
        return take_lines(reading, key, to, CONFIG_TEST_FORM_LIKE);
    case CONFIG_TEST_KEY_BYTES:
        return take_lines(reading, key, to, CONFIG_TEST_FORM_HEX);
    case CONFIG_TEST_KEY_REASON:
        return config_test_read_word(reading, key, &to->reason);
    case CONFIG_TEST_KEY_REFUSED:
        return config_test_read_word(reading, key, &to->refused);
    default:
        return take_count(reading, key, to);
    }
}

static bool check_expectation(const struct file_reading *reading,
                              struct config_test_expectation *to)
{
    bool about_sink = to->form != CONFIG_TEST_FORM_NONE || to->reason.data != NULL;
    if (to->refused.data != NULL && (about_sink || to->sink.data != NULL))
        return file_refuse(
            reading, to->mark,
            "refused is for datagrams; write the output of a sink as a separate item");
    if (to->refused.data == NULL && !about_sink)
        return file_refuse(reading, to->mark,
                           "an expectation needs lines, like, bytes, reason or refused");
    if (to->has_count && to->refused.data == NULL && to->reason.data == NULL)
        return file_refuse(reading, to->mark, "count requires reason or refused");
    if (!to->has_count)
        to->count = 1;
    return true;
}

static bool read_expectation(struct file_reading *reading, const struct config_test_key *key,
                             struct config_test *test)
{
    struct config_test_given given = {.lines = {0}};
    if (reading->piece.kind != PIECE_MAP)
        return file_wrong_kind(reading, key->name,
                               "a map with lines, like, bytes, reason or refused");
    struct config_test_expectation *to =
        config_test_add_element(reading, &test->expectations, &test->expectation_count, sizeof *to);
    if (to == NULL)
        return false;
    to->mark = reading->piece.mark;
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_MAP_END)
            return check_expectation(reading, to);
        const struct config_test_key *of =
            config_test_read_key(reading, CONFIG_TEST_OF_EXPECTATION, &given);
        if (of == NULL || !file_next(reading) || !take_expected_value(reading, of, to))
            return false;
    }
    return false;
}

bool config_test_read_expectations(struct file_reading *reading, const struct config_test_key *key,
                                   struct config_test *test)
{
    test->has_expect = true;
    if (reading->piece.kind != PIECE_LIST)
        return file_wrong_kind(reading, key->name, FILE_LIST_DUE);
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_LIST_END)
            return true;
        if (!read_expectation(reading, key, test))
            return false;
    }
    return false;
}
