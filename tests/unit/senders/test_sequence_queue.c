/* Tests that numbers that are noted in groups are counted as if they were noted one by one. */
#include <stdio.h>
#include <string.h>

#include "collector/senders/sequence_queue.h"
#include "tests/support/base/random_number.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

#define LISTENERS 2

struct fixture {
    struct sequence_table *table;
    struct sequence_queue queue;
    struct ingest_counters counters[LISTENERS]; /* of the datagrams in the queue */
    struct ingest_counters others[LISTENERS];   /* of the thread */
    struct ingest_counters *own[LISTENERS];
};

static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){.table = sequence_table_create(1, sequence_secret)};
    assert_non_null(fixture->table);
    for (size_t i = 0; i < LISTENERS; i++)
        fixture->own[i] = &fixture->others[i];
    sequence_queue_init(&fixture->queue, fixture->table, fixture->own);
}

/* Overwrites the name after the call, because the queue must not refer to it. */
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

TEST_WITH(all_notes_are_counted_at_the_commit, NULL, NULL)
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
        put(&fixture, 0, 0, 1, number); /* nine numbers are lost before this one */
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

TEST_WITH(losses_of_an_evicted_sender_belong_to_its_listener, NULL, NULL)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (unsigned sender = 0; sender < 1000; sender++) {
        put(&fixture, 0, sender, 1, 1);
        put(&fixture, 0, sender, 1, 3); /* one number is lost */
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

/* --- noting one number at a time -------------------------------------------------------------- */

static void add_outcome(struct ingest_counters *counters, const struct sequence_outcome *outcome)
{
    counter_add(&counters->lost, outcome->lost);
    counter_add(&counters->duplicated, outcome->duplicated);
    counter_add(&counters->reordered, outcome->reordered);
    counter_add(&counters->late, outcome->late);
    counter_add(&counters->restarted, outcome->restarted);
    counter_add(&counters->senders, outcome->new_senders);
}

static void assert_same_counts(const struct ingest_counters *a, const struct ingest_counters *b)
{
    assert_int_equal(counter_read(&a->lost), counter_read(&b->lost));
    assert_int_equal(counter_read(&a->duplicated), counter_read(&b->duplicated));
    assert_int_equal(counter_read(&a->reordered), counter_read(&b->reordered));
    assert_int_equal(counter_read(&a->late), counter_read(&b->late));
    assert_int_equal(counter_read(&a->restarted), counter_read(&b->restarted));
    assert_int_equal(counter_read(&a->senders), counter_read(&b->senders));
}

static uint64_t next_begin(uint64_t *random, uint64_t next)
{
    uint64_t dice = next_below(random, 100);
    uint64_t distance = next_below(random, dice < 95 ? 100 : 3000);
    if (dice < 50)
        return next;
    if (dice < 75 || next < distance)
        return next + distance;
    return next - distance;
}

static void run_beside_single_notes(uint64_t seed, unsigned senders, uint64_t longest)
{
    struct fixture fixture;
    struct ingest_counters expected = {0};
    struct sequence_table *single = sequence_table_create(1, sequence_secret);
    uint64_t next[4] = {0}, boot_id[4] = {0}, random = seed;
    assert_non_null(single);
    open_fixture(&fixture);
    for (unsigned run = 0; run < TEST_TRIES(3000); run++) {
        unsigned sender = (unsigned)next_below(&random, senders);
        uint64_t number = next_begin(&random, next[sender]);
        if (next_below(&random, 50) == 0)
            boot_id[sender]++;
        next[sender] = number + 1 + next_below(&random, longest);
        for (; number != next[sender]; number++) {
            char name[16];
            snprintf(name, sizeof name, "s%u", sender);
            struct sequence_outcome one = note_as(single, name, 0, boot_id[sender], number);
            add_outcome(&expected, &one);
            put(&fixture, 0, sender, boot_id[sender], number);
        }
        if (next_below(&random, 8) == 0)
            sequence_queue_commit(&fixture.queue);
    }
    sequence_queue_commit(&fixture.queue);
    assert_same_counts(&fixture.counters[0], &expected);
    assert_int_equal(settle(fixture.table).lost, settle(single).lost);
    sequence_table_destroy(fixture.table);
    sequence_table_destroy(single);
}

TEST(numbers_that_are_noted_together_count_as_each_by_itself)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_beside_single_notes(seed, 1, 200);
        run_beside_single_notes(seed, 2, 5);
        run_beside_single_notes(seed, 4, 70);
    }
}

TEST(a_number_of_another_life_or_sender_is_noted_separately)
{
    struct fixture fixture;
    open_fixture(&fixture);
    put(&fixture, 0, 0, 1, 7);
    put(&fixture, 0, 1, 1, 8);
    put(&fixture, 1, 1, 1, 9);
    put(&fixture, 1, 1, 2, 10);
    sequence_queue_commit(&fixture.queue);
    assert_int_equal(counter_read(&fixture.counters[0].senders), 2);
    assert_int_equal(counter_read(&fixture.counters[1].senders), 1);
    assert_int_equal(counter_read(&fixture.counters[1].restarted), 1);
    sequence_table_destroy(fixture.table);
}

TEST(no_number_follows_the_largest)
{
    struct fixture fixture;
    open_fixture(&fixture);
    put(&fixture, 0, 0, 1, UINT64_MAX - 1);
    sequence_queue_commit(&fixture.queue);
    put(&fixture, 0, 0, 1, UINT64_MAX);
    put(&fixture, 0, 0, 1, 0);
    sequence_queue_commit(&fixture.queue);
    assert_int_equal(counter_read(&fixture.counters[0].late), 1);
    sequence_table_destroy(fixture.table);
}
