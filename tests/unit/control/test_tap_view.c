/*
 * Tests that a client of "tap" gets the matching lines of a batch up to its limit. Further lines
 * are only counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/control/tap_view.h"
#include "collector/text/json_writer.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/test.h"

/* --- a schema whose message is a list of names, separated by commas --------------------------- */

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    (void)schema;
    const char *names = (const char *)message + cursor->index;
    if (*names == '\0')
        return false;
    size_t size = strcspn(names, ",");
    cursor->index += size + (names[size] == ',');
    *sample = (struct sample){.name = {names, size}, .type = SAMPLE_INT64};
    return true;
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)schema, (void)message, (void)sample, (void)cursor, (void)label;
    return false;
}

static size_t write_json(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out)
{
    (void)schema, (void)style, (void)scratch;
    json_string(out, message, strlen(message));
    return 0;
}

static const struct schema_ops ops = {.name = "names",
                                      .next_sample = next_sample,
                                      .next_label = next_label,
                                      .write_json = write_json};
static const struct schema of_samples = {.ops = &ops, .name = "names", .has_samples = true};
static const struct schema of_messages = {.ops = &ops, .name = "package.Log"};
static const struct listener listener = {.name = "udp://h:1"};

#define RECORDS 8

struct fixture {
    struct tap_view *view;
    struct tap_watcher watcher;
    struct record records[RECORDS];
    struct batch batch;
    char text[65536];
    struct output out;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->view = tap_view_create(&encoder_json);
    assert_non_null(fixture->view);
    fixture->batch.listener = &listener;
    fixture->out = (struct output){.data = fixture->text, .capacity = sizeof fixture->text};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    tap_view_destroy(fixture->view);
    free(fixture);
    return 0;
}

static void add(struct fixture *fixture, const struct schema *schema, const char *message)
{
    assert_true(fixture->batch.count < RECORDS);
    struct record *record = &fixture->records[fixture->batch.count];
    *record =
        (struct record){.listener = fixture->batch.listener, .schema = schema, .message = message};
    batch_append(&fixture->batch, record);
}

static void show(struct fixture *fixture, const char *pattern, unsigned lines_left)
{
    fixture->watcher = (struct tap_watcher){.lines_left = lines_left};
    fixture->watcher.pattern_size = strlen(pattern);
    memcpy(fixture->watcher.pattern, pattern, strlen(pattern));
    tap_view_show(fixture->view, &fixture->watcher, &fixture->batch, &fixture->out);
    assert_false(fixture->out.overflow);
}

/*
 * Asserts that each line is complete, and that the values of `key` in these lines, separated by
 * blanks, are as expected.
 */
static void assert_shown(struct fixture *fixture, const char *key, const char *expected)
{
    char found[256] = "";
    const char *line = fixture->text;
    const char *end = line + fixture->out.used;
    while (line != end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        assert_non_null(newline);
        assert_int_equal(newline[-1], '}');
        const char *value = strstr(line, key);
        assert_true(value != NULL && value < newline);
        value += strlen(key);
        strncat(found, value, strcspn(value, "\""));
        strcat(found, " ");
        line = newline + 1;
    }
    assert_string_equal(found, expected);
}

#define NAME   "\"name\":\""
#define SCHEMA "\"schema\":\""

TEST_WITH(of_a_record_the_matching_samples_are_shown, set_up, tear_down)
{
    struct fixture *fixture = *state;
    add(fixture, &of_samples, "cpu.user,mem,cpu.sys");
    add(fixture, &of_samples, "mem");
    add(fixture, &of_samples, "");
    add(fixture, &of_samples, "disk,cpu.idle");
    show(fixture, "cpu.*", 100);
    assert_shown(fixture, NAME, "cpu.user cpu.sys cpu.idle ");
    assert_int_equal(fixture->watcher.lines_left, 97);
    assert_int_equal(fixture->watcher.left_out, 0);
}

TEST_WITH(a_line_is_what_format_json_writes, set_up, tear_down)
{
    struct fixture *fixture = *state;
    add(fixture, &of_samples, "x,cpu");
    show(fixture, "cpu", 1);
    static const char expected[] =
        "{\"time\":\"1970-01-01T00:00:00.000000000Z\",\"name\":\"cpu\",\"kind\":\"gauge\","
        "\"value\":0,\"labels\":{},\"received\":\"1970-01-01T00:00:00.000000000Z\",";
    assert_memory_equal(fixture->text, expected, strlen(expected));
}

TEST_WITH(a_record_without_samples_matches_by_its_schema, set_up, tear_down)
{
    struct fixture *fixture = *state;
    add(fixture, &of_messages, "anything");
    show(fixture, "package.*", 100);
    assert_shown(fixture, SCHEMA, "package.Log ");
    fixture->out.used = 0;
    show(fixture, "anything", 100);
    assert_int_equal(fixture->out.used, 0);
    assert_int_equal(fixture->watcher.left_out, 0);
}

TEST_WITH(records_after_the_last_line_are_counted_unseen, set_up, tear_down)
{
    struct fixture *fixture = *state;
    add(fixture, &of_samples, "a,b");
    /* Only the first of these three samples is shown, because it is the third and last line. */
    add(fixture, &of_samples, "a,b,c");
    add(fixture, &of_samples, "x");
    add(fixture, &of_samples, "a");
    show(fixture, "?", 3);
    assert_shown(fixture, NAME, "a b a ");
    assert_int_equal(fixture->watcher.lines_left, 0);
    assert_int_equal(fixture->watcher.left_out, 3);
    show(fixture, "nothing", 0);
    assert_int_equal(fixture->watcher.left_out, 4);
}

TEST_WITH(lines_without_room_are_left_out_and_shorter_ones_are_not, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    add(fixture, &of_samples, "x1");
    add(fixture, &of_samples, name);
    add(fixture, &of_samples, "x2");
    fixture->out.capacity = 500;
    show(fixture, "x*", 100);
    assert_shown(fixture, NAME, "x1 x2 ");
    assert_int_equal(fixture->watcher.left_out, 1);
    assert_int_equal(fixture->watcher.lines_left, 98);
}

TEST_WITH(a_record_that_no_sink_could_write_is_left_out, set_up, tear_down)
{
    struct fixture *fixture = *state;
    size_t size = (size_t)1200 * 1024;
    char *name = malloc(size);
    assert_non_null(name);
    memset(name, 'x', size - 1);
    name[size - 1] = '\0';
    add(fixture, &of_samples, name);
    add(fixture, &of_samples, "after");
    show(fixture, "*", 100);
    assert_shown(fixture, NAME, "after ");
    assert_int_equal(fixture->watcher.left_out, 1);
    free(name);
}

/* The glob needs many steps to match this name. */
TEST_WITH(a_name_that_takes_too_long_to_match_is_left_out, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char *name = malloc(60001);
    assert_non_null(name);
    memset(name, 'a', 60000);
    name[60000] = '\0';
    add(fixture, &of_samples, name);
    add(fixture, &of_samples, "aab");
    show(fixture, "*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 100);
    assert_int_equal(fixture->out.used, 0);
    assert_int_equal(fixture->watcher.left_out, 1);
    show(fixture, "*a*a*b", 100);
    assert_shown(fixture, NAME, "aab ");
    free(name);
}
