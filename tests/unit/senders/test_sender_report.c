/*
 * Tests the report of senders in JSON: the sums of all threads, losses, the order (the busiest
 * senders first), and the limit of its size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/senders/sender_report.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

#define TABLES    2
#define LISTENERS 2
#define TEXT_SIZE ((size_t)256 * 1024)

static const uint8_t secret[16] = "not very secret";
static const struct listener listeners[LISTENERS] = {{.index = 0, .name = "udp://a"},
                                                     {.index = 1, .name = "udp://\"b\""}};

struct fixture {
    struct traffic_table *tables[TABLES];
    struct sequence_table *sequences;
    struct sender_report *report;
    char *text;
    struct json_tree *tree;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->sequences = sequence_table_create(1000, secret);
    assert_non_null(fixture->sequences);
    assert_true(sequence_keep_senders(fixture->sequences));
    fixture->report = sender_report_create(TABLES, fixture->sequences);
    assert_non_null(fixture->report);
    for (size_t i = 0; i < TABLES; i++) {
        fixture->tables[i] = traffic_table_create(secret);
        assert_non_null(fixture->tables[i]);
        sender_report_add_table(fixture->report, fixture->tables[i]);
    }
    for (size_t i = 0; i < LISTENERS; i++)
        assert_true(sender_report_add_listener(fixture->report, &listeners[i]));
    fixture->text = malloc(TEXT_SIZE);
    assert_non_null(fixture->text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    sender_report_destroy(fixture->report);
    for (size_t i = 0; i < TABLES; i++)
        traffic_table_destroy(fixture->tables[i]);
    sequence_table_destroy(fixture->sequences);
    json_tree_free(fixture->tree);
    free(fixture->text);
    free(fixture);
    return 0;
}

static struct address host(uint32_t n)
{
    const uint8_t bytes[4] = {10, 0, (uint8_t)(n >> 8), (uint8_t)n};
    return address_from_ipv4(bytes, 4000);
}

static void send(struct fixture *fixture, size_t table, uint32_t listener, uint32_t from,
                 uint32_t datagrams)
{
    struct address source = host(from);
    for (uint32_t i = 0; i < datagrams; i++)
        traffic_note(fixture->tables[table], listener, &source, 100);
}

static void number_bytes(struct fixture *fixture, uint32_t listener, uint32_t from,
                         const char *name, size_t size, uint64_t number)
{
    struct address source = host(from);
    const struct sequence_key key = {
        .listener = listener, .source = &source, .sender = name, .sender_size = size};
    sequence_note(fixture->sequences, &key, 1, number);
}

static void number(struct fixture *fixture, uint32_t listener, uint32_t from, const char *name,
                   uint64_t number)
{
    number_bytes(fixture, listener, from, name, strlen(name), number);
}

static const struct json_tree *report(struct fixture *fixture)
{
    struct output out = {.data = fixture->text, .capacity = TEXT_SIZE};
    sender_report_write(fixture->report, &out);
    assert_false(out.overflow);
    assert_ptr_equal(memchr(out.data, '\n', out.used), out.data + out.used - 1);
    json_tree_free(fixture->tree);
    fixture->tree = json_tree_read(out.data, out.used - 1);
    assert_non_null(fixture->tree);
    return fixture->tree;
}

static const struct json_tree *member(const struct json_tree *object, const char *key)
{
    const struct json_tree *found = json_tree_member(object, key);
    if (found == NULL)
        fail_msg("no member %s", key);
    return found;
}

static void assert_number(const struct json_tree *object, const char *key, unsigned value)
{
    char text[32];
    snprintf(text, sizeof text, "%u", value);
    if (strcmp(member(object, key)->text, text) != 0)
        fail_msg("%s is %s, not %s", key, member(object, key)->text, text);
}

static const struct json_tree *senders_of(const struct json_tree *tree, size_t listener)
{
    const struct json_tree *all = member(tree, "listeners");
    assert_int_equal(all->count, LISTENERS);
    assert_true(
        json_tree_is_string(member(all->children[listener], "name"), listeners[listener].name));
    return member(all->children[listener], "senders");
}

static void assert_sender(const struct json_tree *sender, const char *address, unsigned datagrams)
{
    assert_true(json_tree_is_string(member(sender, "address"), address));
    assert_number(sender, "datagrams", datagrams);
    assert_number(sender, "bytes", datagrams * 100);
}

TEST_WITH(without_senders_the_report_is_empty, set_up, tear_down)
{
    const struct json_tree *tree = report(*state);
    assert_int_equal(senders_of(tree, 0)->count, 0);
    assert_int_equal(senders_of(tree, 1)->count, 0);
    assert_int_equal(member(tree, "losers")->count, 0);
    assert_number(tree, "replaced", 0);
}

TEST_WITH(the_busiest_come_first_and_threads_are_added_up, set_up, tear_down)
{
    struct fixture *fixture = *state;
    send(fixture, 0, 0, 1, 5);
    send(fixture, 0, 0, 2, 6);
    send(fixture, 1, 0, 1, 4); /* the same host in another thread */
    send(fixture, 1, 1, 1, 3); /* the same host at another listener */
    const struct json_tree *tree = report(fixture);
    const struct json_tree *senders = senders_of(tree, 0);
    assert_int_equal(senders->count, 2);
    assert_sender(senders->children[0], "10.0.0.1", 9);
    assert_sender(senders->children[1], "10.0.0.2", 6);
    assert_int_equal(senders_of(tree, 1)->count, 1);
    assert_sender(senders_of(tree, 1)->children[0], "10.0.0.1", 3);
}

TEST_WITH(losses_are_reported_for_senders_that_number_their_datagrams, set_up, tear_down)
{
    struct fixture *fixture = *state;
    send(fixture, 0, 0, 1, 3);
    send(fixture, 0, 0, 2, 2);
    number(fixture, 0, 1, "x", 1);
    number(fixture, 0, 1, "x", 4);
    number(fixture, 0, 1, "y", 1);
    number(fixture, 0, 1, "y", 1);
    number(fixture, 1, 2, "z", 1); /* at another listener */
    const struct json_tree *tree = report(fixture);
    const struct json_tree *sender = senders_of(tree, 0)->children[0];
    assert_number(sender, "numbered", 2);
    assert_number(sender, "lost", 0);
    assert_number(sender, "missing", 2);
    assert_number(sender, "duplicated", 1);
    assert_null(json_tree_member(senders_of(tree, 0)->children[1], "numbered"));

    const struct json_tree *losers = member(tree, "losers");
    assert_int_equal(losers->count, 1);
    assert_true(json_tree_is_string(member(losers->children[0], "sender"), "x"));
    assert_true(json_tree_is_string(member(losers->children[0], "listener"), "udp://a"));
    assert_number(losers->children[0], "missing", 2);
}

TEST_WITH(a_sender_of_several_keys_is_shown_with_commas_between_them, set_up, tear_down)
{
    struct fixture *fixture = *state;
    send(fixture, 0, 0, 1, 2);
    number_bytes(fixture, 0, 1, "a\0b", 4, 1); /* the name has 4 bytes: "a", NUL, "b", NUL */
    number_bytes(fixture, 0, 1, "a\0b", 4, 3);
    const struct json_tree *losers = member(report(fixture), "losers");
    assert_int_equal(losers->count, 1);
    assert_true(json_tree_is_string(member(losers->children[0], "sender"), "a,b"));
}

TEST_WITH(the_greatest_losses_come_first_and_are_limited, set_up, tear_down)
{
    struct fixture *fixture = *state;
    for (uint32_t i = 0; i < 200; i++) {
        char name[16];
        uint32_t n = i * 77 % 200;
        snprintf(name, sizeof name, "s%u", (unsigned)n);
        number(fixture, 0, 1, name, 1);
        number(fixture, 0, 1, name, 2 + n); /* n numbers are missing */
    }
    const struct json_tree *losers = member(report(fixture), "losers");
    assert_int_equal(losers->count, LOSERS_TOLD);
    for (unsigned i = 0; i < LOSERS_TOLD; i++)
        assert_number(losers->children[i], "missing", 199 - i);
}

TEST_WITH(the_number_of_reported_senders_is_limited, set_up, tear_down)
{
    struct fixture *fixture = *state;
    for (uint32_t i = 0; i < 20000; i++)
        send(fixture, i % TABLES, 0, i, 1);
    send(fixture, 0, 0, 7, 5000);
    const struct json_tree *tree = report(fixture);
    assert_int_equal(senders_of(tree, 0)->count, SENDERS_TOLD);
    assert_true(
        json_tree_is_string(member(senders_of(tree, 0)->children[0], "address"), "10.0.0.7"));
    assert_true(atoi(member(tree, "replaced")->text) > 0);
}

TEST_WITH(a_name_of_any_bytes_is_valid_json, set_up, tear_down)
{
    struct fixture *fixture = *state;
    number(fixture, 0, 1, "\xff\"\x1b[2J", 1);
    number(fixture, 0, 1, "\xff\"\x1b[2J", 9);
    const struct json_tree *losers = member(report(fixture), "losers");
    assert_true(
        json_tree_is_string(member(losers->children[0], "sender"), "\xef\xbf\xbd\"\x1b[2J"));
}
