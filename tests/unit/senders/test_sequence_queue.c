/* Numbers that are noted a few at a time: the counts are those of notes one by one. */
#include <stdio.h>
#include <string.h>

#include "collector/senders/sequence_queue.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

#define LISTENERS 2

struct fixture {
    struct sequence_table *table;
    struct sequence_queue queue;
    struct ingest_counters counters[LISTENERS]; /* of those whose datagrams they are */
    struct ingest_counters others[LISTENERS];   /* the thread's own */
    struct ingest_counters *own[LISTENERS];
};

/* A table of as few senders as there can be. */
static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){.table = sequence_table_create(1, sequence_secret)};
    assert_non_null(fixture->table);
    for (size_t i = 0; i < LISTENERS; i++)
        fixture->own[i] = &fixture->others[i];
    sequence_queue_init(&fixture->queue, fixture->table, fixture->own);
}

/* The names' memory is another's at once: the queue may not need it. */
static void put(struct fixture *fixture, uint32_t listener, unsigned sender, uint64_t boot_id,
                uint64_t number)
{
    char name[16];
    struct address source = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 5000);
    snprintf(name, sizeof name, "s%u", sender);
    struct sequence_key key = {
        .listener = listener, .source = &source, .sender = name, .sender_size = strlen(name)};
    sequence_queue_note(&fixture->queue, &key, boot_id, number, &fixture->counters[listener]);
    memset(name, 0, sizeof name);
}

static uint64_t lost(const struct fixture *fixture, uint32_t listener)
{
    return counter_read(&fixture->counters[listener].lost);
}

TEST_WITH(all_that_was_noted_is_counted_when_it_is_settled, NULL, NULL)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (unsigned count = 1; count <= 3 * SEQUENCE_QUEUE_SIZE; count++) {
        for (unsigned sender = 0; sender < count; sender++)
            put(&fixture, 0, sender, count, 1);
        sequence_queue_commit(&fixture.queue);
        assert_int_equal(counter_read(&fixture.counters[0].senders), count);
    }
    sequence_table_destroy(fixture.table);
}

TEST_WITH(each_listener_gets_its_own, NULL, NULL)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (uint64_t number = 0; number < 2000; number += 10) {
        put(&fixture, 0, 0, 1, number); /* nine lost between two */
        put(&fixture, 1, 0, 1, number / 10);
        put(&fixture, 1, 0, 1, number / 10);
    }
    put(&fixture, 0, 0, 1, 4000);
    sequence_queue_commit(&fixture.queue);
    assert_int_equal(lost(&fixture, 1), 0);
    assert_int_equal(counter_read(&fixture.counters[1].duplicated), 200);
    assert_int_equal(counter_read(&fixture.counters[0].duplicated), 0);
    assert_int_equal(lost(&fixture, 0) + settle(fixture.table).lost, 4001 - 201);
    sequence_table_destroy(fixture.table);
}

/* A run of one sender is noted at once where nothing is on its way, else after that. */
TEST_WITH(a_sender_s_numbers_keep_their_order, NULL, NULL)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (uint64_t number = 1; number <= 3000; number++) {
        unsigned sender = (unsigned)(number / 3 % 5);
        put(&fixture, 0, sender, 1, number);
        put(&fixture, 0, sender, 1, number);
        if (number % 4 == 0)
            sequence_queue_commit(&fixture.queue);
    }
    sequence_queue_commit(&fixture.queue);
    assert_int_equal(counter_read(&fixture.counters[0].duplicated), 3000);
    assert_int_equal(counter_read(&fixture.counters[0].reordered), 0);
    assert_int_equal(counter_read(&fixture.counters[0].late), 0);
    sequence_table_destroy(fixture.table);
}

TEST_WITH(what_an_evicted_sender_lost_is_its_listener_s, NULL, NULL)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (unsigned sender = 0; sender < 1000; sender++) {
        put(&fixture, 0, sender, 1, 1);
        put(&fixture, 0, sender, 1, 3); /* one lost */
    }
    for (unsigned sender = 0; sender < 1000; sender++)
        put(&fixture, 1, sender, 1, 1);
    sequence_queue_commit(&fixture.queue);
    uint64_t evicted = counter_read(&fixture.others[0].senders_evicted);
    assert_true(evicted > 800);
    assert_int_equal(counter_read(&fixture.others[0].lost), evicted);
    assert_int_equal(counter_read(&fixture.others[1].lost), 0);
    assert_int_equal(evicted + settle(fixture.table).lost, 1000);
    sequence_table_destroy(fixture.table);
}
