/*
 * Tests the table of senders: how senders are identified, which are evicted, and many threads at
 * the same time.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/senders/sequence.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

struct totals {
    uint64_t lost, duplicated, reordered, late, restarted, new_senders, evicted, evicted_lost;
};

static void add(struct totals *totals, struct sequence_outcome outcome)
{
    totals->lost += outcome.lost;
    totals->duplicated += outcome.duplicated;
    totals->reordered += outcome.reordered;
    totals->late += outcome.late;
    totals->restarted += outcome.restarted;
    totals->new_senders += outcome.new_senders;
    totals->evicted += outcome.evicted;
    totals->evicted_lost += outcome.evicted_lost;
}

/* --- identifying senders ---------------------------------------------------------------------- */

static struct sequence_outcome note_from(struct sequence_table *table, uint32_t listener,
                                         struct address source, const char *sender)
{
    struct sequence_key key = {
        .listener = listener, .source = &source, .sender = sender, .sender_size = strlen(sender)};
    return sequence_note(table, &key, 1, 1);
}

TEST_WITH(listener_host_and_name_distinguish_senders_but_not_the_port, create_table, destroy_table)
{
    static const uint8_t ipv4[4] = {10, 0, 0, 1}, other[4] = {10, 0, 0, 2};
    static const uint8_t ipv6[16] = {0xfe, 0x80, [15] = 1};
    static const uint8_t same_bytes[16] = {10, 0, 0, 1};
    struct address host = address_from_ipv4(ipv4, 1000);
    assert_outcome(note_from(*state, 1, host, "a"), .new_senders = 1);
    assert_outcome(note_from(*state, 2, host, "a"), .new_senders = 1);
    assert_outcome(note_from(*state, 1, host, "b"), .new_senders = 1);
    assert_outcome(note_from(*state, 1, host, ""), .new_senders = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv4(other, 1000), "a"), .new_senders = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv6(ipv6, 1, 1), "a"), .new_senders = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv6(ipv6, 2, 1), "a"), .new_senders = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv6(same_bytes, 0, 1), "a"),
                   .new_senders = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv4(ipv4, 2000), "a"), .duplicated = 1);
    assert_outcome(note_from(*state, 1, address_from_ipv6(ipv6, 2, 9), "a"), .duplicated = 1);
}

/* Each key is looked up after each other key, and after itself. */
TEST_WITH(the_cached_sender_is_not_mistaken_for_another, create_table, destroy_table)
{
    static const uint8_t ipv4[4] = {10, 0, 0, 1}, other[4] = {10, 0, 0, 2};
    static const uint8_t ipv6[16] = {0xfe, 0x80, [15] = 1};
    static char longest[SEQUENCE_NAME_SIZE + 2];
    memset(longest, 'x', sizeof longest);
    struct address hosts[] = {address_from_ipv4(ipv4, 1000), address_from_ipv4(other, 1000),
                              address_from_ipv6(ipv6, 1, 1), address_from_ipv6(ipv6, 2, 1)};
    const struct sequence_key keys[] = {
        {.source = &hosts[0], .sender = "ab", .sender_size = 2},
        {.source = &hosts[0], .sender = "ab", .sender_size = 1},
        {.source = &hosts[0], .sender = "ac", .sender_size = 2},
        {.source = &hosts[0], .sender = NULL, .sender_size = 0},
        {.source = &hosts[0], .sender = "ab", .sender_size = 2, .listener = 1},
        {.source = &hosts[0], .sender = "ab", .sender_size = 2, .numbering = 1},
        {.source = &hosts[1], .sender = "ab", .sender_size = 2},
        {.source = &hosts[2], .sender = "ab", .sender_size = 2},
        {.source = &hosts[3], .sender = "ab", .sender_size = 2},
        {.source = &hosts[0], .sender = longest, .sender_size = SEQUENCE_NAME_SIZE},
        {.source = &hosts[0], .sender = longest, .sender_size = SEQUENCE_NAME_SIZE + 1},
        {.source = &hosts[0], .sender = longest, .sender_size = SEQUENCE_NAME_SIZE + 2},
    };
    struct sequence_recent recent = {.known = false};
    const size_t count = sizeof keys / sizeof keys[0];
    for (size_t i = 0; i < count; i++) {
        struct sequence_key key = keys[i];
        key.recent = &recent;
        assert_outcome(sequence_note(*state, &key, 1, i), .new_senders = 1);
    }
    for (size_t i = 0; i < count * count; i++) {
        struct sequence_key first = keys[i / count], second = keys[i % count];
        first.recent = second.recent = &recent;
        assert_outcome(sequence_note(*state, &first, 1, i / count), .duplicated = 1);
        assert_outcome(sequence_note(*state, &second, 1, i % count), .duplicated = 1);
    }
}

static struct sequence_outcome note_nth(struct sequence_table *table, uint32_t index,
                                        uint64_t number)
{
    char name[16];
    snprintf(name, sizeof name, "s%u", (unsigned)index);
    return note_as(table, name, index, 1, number);
}

/* In a table of this size, each shard has two sets. So each sender may be in either of them. */
#define TWO_SETS_EACH ((size_t)2 * 16 * 8)

TEST(forged_senders_cannot_grow_the_table)
{
    struct sequence_table *table = sequence_table_create(1000, sequence_secret);
    assert_non_null(table);
    struct totals totals = {0};
    for (uint32_t i = 0; i < 20000; i++)
        add(&totals, note_nth(table, i, 1));
    struct settled settled = settle(table);
    assert_in_range(settled.senders, 900, 1000);
    assert_int_equal(totals.new_senders, 20000);
    assert_int_equal(totals.evicted + settled.senders, 20000);
    assert_int_equal(totals.evicted_lost + settled.lost + totals.lost, 0);
    sequence_table_destroy(table);
}

TEST(the_smallest_table_has_a_set_per_shard)
{
    struct sequence_table *table = sequence_table_create(0, sequence_secret);
    assert_non_null(table);
    for (uint32_t i = 0; i < 5000; i++)
        note_nth(table, i, 1);
    assert_int_equal(settle(table).senders, 16 * 8);
    sequence_table_destroy(table);
}

TEST(an_evicted_sender_is_counted_for_its_own_listener)
{
    struct sequence_table *table = sequence_table_create(TWO_SETS_EACH, sequence_secret);
    assert_non_null(table);
    size_t evicted = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        struct sequence_outcome outcome = note_nth(table, i, 1);
        note_nth(table, i, 2 + i % 1000); /* i % 1000 numbers are missing */
        assert_int_equal(outcome.lost, 0);
        if (outcome.evicted == 0)
            continue;
        evicted++;
        assert_true(outcome.evicted_listener < i);
        assert_int_equal(outcome.evicted_lost, outcome.evicted_listener % 1000);
    }
    assert_int_equal(evicted, 3000 - TWO_SETS_EACH);
    sequence_table_destroy(table);
}

TEST(a_sender_that_is_not_quiet_keeps_its_slot)
{
    struct sequence_table *table = sequence_table_create(1, sequence_secret);
    assert_non_null(table);
    assert_outcome(note_as(table, "busy", 0, 1, 0), .new_senders = 1);
    for (uint32_t i = 1; i < 10000; i++) {
        note_nth(table, i, 1);
        assert_quiet(note_as(table, "busy", 0, 1, i));
    }
    sequence_table_destroy(table);
}

/*
 * Asserts that the sender that has been quiet for longest is evicted. There is one sender more than
 * the `places` slots in which it may be. So when an evicted sender sends again, it evicts the next
 * one.
 */
static void assert_quiet_longest_is_evicted(size_t senders, size_t places)
{
    struct sequence_table *table = sequence_table_create(senders, sequence_secret);
    assert_non_null(table);
    struct sequence_outcome outcome = {0};
    for (uint32_t i = 1; i < 2000; i++)
        outcome = note_nth(table, i, 1);
    assert_int_equal(outcome.evicted, 1);
    uint32_t ring[17];
    for (size_t i = 0; i <= places; i++) {
        ring[i] = outcome.evicted_listener;
        outcome = note_nth(table, ring[i], 1);
        assert_int_equal(outcome.evicted, 1);
    }
    for (size_t i = 0; i < 3 * (places + 1); i++) {
        assert_int_equal(outcome.evicted_listener, ring[i % (places + 1)]);
        outcome = note_nth(table, ring[i % (places + 1)], 1);
    }
    /* ring[1] would be evicted next, but it sends. So ring[0] evicts ring[2]. */
    assert_quiet(note_nth(table, ring[1], 2));
    outcome = note_nth(table, ring[0], 1);
    assert_int_equal(outcome.evicted_listener, ring[2]);
    sequence_table_destroy(table);
}

TEST(the_sender_quiet_longest_is_evicted)
{
    assert_quiet_longest_is_evicted(1, 8); /* one set for each shard */
    assert_quiet_longest_is_evicted(TWO_SETS_EACH, 16);
}

/* Some sets of the table are full long before the whole table is. */
TEST_WITH(a_table_with_room_soon_stops_evicting, NULL, NULL)
{
    enum { SENDERS = 10000, ROUNDS = 5 };
    (void)state;
    struct sequence_table *table = sequence_table_create(16384, sequence_secret);
    assert_non_null(table);
    struct totals all = {0}, last = {0};
    for (uint64_t round = 1; round <= ROUNDS; round++)
        for (uint32_t i = 0; i < SENDERS; i++)
            add(round < ROUNDS ? &all : &last, note_nth(table, i, round));
    assert_in_range(all.evicted, 0, SENDERS / 100);
    assert_int_equal(all.new_senders, SENDERS + all.evicted);
    assert_int_equal(last.new_senders + last.evicted, 0);
    assert_int_equal(last.lost + last.duplicated + last.reordered + last.restarted, 0);
    assert_int_equal(settle(table).senders, SENDERS);
    sequence_table_destroy(table);
}

/* --- reporting the senders in the table ------------------------------------------------------- */

struct told {
    size_t count;
    struct sequence_sender senders[TWO_SETS_EACH];
};

static void note_reported(void *context, const struct sequence_sender *sender)
{
    struct told *told = context;
    if (told->count < TWO_SETS_EACH)
        told->senders[told->count] = *sender;
    told->count++;
}

static const struct sequence_sender *reported(const struct told *told, const char *name)
{
    for (size_t i = 0; i < told->count && i < TWO_SETS_EACH; i++)
        if (told->senders[i].name_size == strlen(name) &&
            memcmp(told->senders[i].name, name, strlen(name)) == 0)
            return &told->senders[i];
    fail_msg("no sender %s", name);
    return NULL;
}

TEST_WITH(senders_are_kept_only_on_request, create_table, destroy_table)
{
    struct told told = {0};
    note_as(*state, "web1", 3, 7, 1);
    sequence_each_sender(*state, note_reported, &told);
    assert_int_equal(told.count, 0);
}

TEST_WITH(the_losses_of_each_sender_are_reported, create_table, destroy_table)
{
    struct sequence_table *table = *state;
    struct told told = {0};
    assert_true(sequence_keep_senders(table));
    note_as(table, "web1", 3, 7, 1);
    note_as(table, "web2", 4, 7, 1);
    note_as(table, "web2", 4, 7, 1);
    note_as(table, "web1", 3, 7, 5); /* 2, 3 and 4 may still arrive */
    note_as(table, "web1", 3, 7, 4);
    sequence_each_sender(table, note_reported, &told);
    assert_int_equal(told.count, 2);
    const struct sequence_sender *sender = reported(&told, "web1");
    assert_int_equal(sender->listener, 3);
    assert_int_equal(sender->lost, 0);
    assert_int_equal(sender->missing, 2);
    assert_int_equal(sender->duplicated, 0);
    char host[ADDRESS_TEXT_SIZE];
    address_format(&sender->source, host);
    assert_string_equal(host, "192.0.2.1:0");
    assert_int_equal(reported(&told, "web2")->duplicated, 1);

    note_as(table, "web1", 3, 7, 5 + SEQUENCE_WINDOW);
    told.count = 0;
    sequence_each_sender(table, note_reported, &told);
    assert_int_equal(reported(&told, "web1")->lost, 2);
    assert_int_equal(reported(&told, "web1")->missing, SEQUENCE_WINDOW - 1);
}

TEST(a_new_sender_in_a_slot_starts_from_zero)
{
    struct sequence_table *table = sequence_table_create(TWO_SETS_EACH, sequence_secret);
    assert_non_null(table);
    assert_true(sequence_keep_senders(table));
    for (uint32_t i = 0; i < 3000; i++) {
        note_nth(table, i, 1);
        note_nth(table, i, 1);
    }
    struct told told = {0};
    sequence_each_sender(table, note_reported, &told);
    assert_int_equal(told.count, TWO_SETS_EACH);
    for (size_t i = 0; i < TWO_SETS_EACH; i++) {
        char name[16];
        uint32_t index = told.senders[i].listener;
        snprintf(name, sizeof name, "s%u", (unsigned)index);
        assert_ptr_equal(reported(&told, name), &told.senders[i]);
        assert_int_equal(told.senders[i].duplicated, 1);
        /* The sender is still in its slot, so this number is a duplicate. */
        assert_outcome(note_nth(table, index, 1), .duplicated = 1);
    }
    sequence_table_destroy(table);
}

TEST_WITH(a_long_name_is_cut, create_table, destroy_table)
{
    char name[200];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct told told = {0};
    assert_true(sequence_keep_senders(*state));
    note_as(*state, name, 0, 7, 1);
    sequence_each_sender(*state, note_reported, &told);
    assert_int_equal(told.senders[0].name_size, SEQUENCE_NAME_SIZE);
    assert_memory_equal(told.senders[0].name, name, SEQUENCE_NAME_SIZE);
}

/* --- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 4, OWN_SENDERS = 20, OWN_NUMBERS = 2000, SHARED_NUMBERS = 40000 };

struct worker {
    struct sequence_table *table;
    uint32_t index;
    struct totals own;
    struct totals shared;
};

static void send_own(struct worker *worker, uint64_t number)
{
    for (uint32_t sender = 0; sender < OWN_SENDERS; sender++) {
        char name[32];
        snprintf(name, sizeof name, "thread %u sender %u", (unsigned)worker->index,
                 (unsigned)sender);
        uint64_t sent = number % 10 == 2 ? number + 1 : number % 10 == 3 ? number - 1 : number;
        if (sent % 7 != 6)
            add(&worker->own, note_as(worker->table, name, worker->index, 5, sent));
        if (number % 5 == 4 && sent % 7 != 6)
            add(&worker->own, note_as(worker->table, name, worker->index, 5, sent));
    }
}

static void work(void *argument)
{
    struct worker *worker = argument;
    for (uint64_t number = 0; number < OWN_NUMBERS; number++)
        send_own(worker, number);
    /* Each thread sends its part of the numbers of one sender. 11 of the numbers are not sent. */
    for (uint64_t number = 1 + worker->index; number < SHARED_NUMBERS; number += THREADS)
        if (number % 3001 != 17)
            add(&worker->shared, note_as(worker->table, "shared", 99, 5, number));
}

static uint64_t own_duplicates(void)
{
    uint64_t count = 0;
    for (uint64_t number = 4; number < OWN_NUMBERS; number += 5)
        count += number % 7 != 6;
    return count;
}

static uint64_t own_missing(void)
{
    uint64_t count = 0;
    for (uint64_t number = 6; number < OWN_NUMBERS; number += 7)
        count++;
    return count;
}

static void note_listener(void *context, uint32_t listener, uint64_t lost)
{
    uint64_t *lost_by_listener = context;
    lost_by_listener[listener] += lost;
}

TEST(totals_are_exact_whatever_the_threads)
{
    struct sequence_table *table = sequence_table_create(100000, sequence_secret);
    assert_non_null(table);
    struct worker workers[THREADS] = {0};
    struct thread *threads[THREADS];
    note_as(table, "shared", 99, 5, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].table = table;
        workers[i].index = i;
        assert_int_equal(thread_start(&threads[i], "worker", work, &workers[i], NULL), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    struct totals shared = {0};
    add(&shared, note_as(table, "shared", 99, 5, SHARED_NUMBERS));

    uint64_t lost[100] = {0};
    sequence_finish(table, note_listener, lost);
    for (size_t i = 0; i < THREADS; i++) {
        const struct totals *own = &workers[i].own;
        assert_int_equal(own->lost + lost[i], OWN_SENDERS * own_missing());
        assert_int_equal(own->duplicated, OWN_SENDERS * own_duplicates());
        assert_int_equal(own->new_senders, OWN_SENDERS);
        assert_int_equal(own->late + own->restarted + own->evicted, 0);
        shared.lost += workers[i].shared.lost;
        shared.late += workers[i].shared.late;
        shared.duplicated += workers[i].shared.duplicated;
        shared.new_senders += workers[i].shared.new_senders;
    }
    uint64_t missing = 0;
    for (uint64_t number = 17; number < SHARED_NUMBERS; number += 3001)
        missing++;
    assert_int_equal(shared.lost + lost[99], missing + shared.late);
    assert_int_equal(shared.duplicated + shared.new_senders, 0);
    sequence_table_destroy(table);
}

/* There are few slots, so each new sender evicts another one, and is evicted itself. */
static void crowd(void *argument)
{
    struct worker *worker = argument;
    for (uint32_t i = 0; i < 5000; i++)
        add(&worker->own, note_nth(worker->table, worker->index * 10000 + i, 1));
}

TEST(evictions_are_exact_whatever_the_threads)
{
    struct sequence_table *table = sequence_table_create(TWO_SETS_EACH, sequence_secret);
    assert_non_null(table);
    assert_true(sequence_keep_senders(table));
    struct worker workers[THREADS] = {0};
    struct thread *threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].table = table;
        workers[i].index = i;
        assert_int_equal(thread_start(&threads[i], "crowd", crowd, &workers[i], NULL), 0);
    }
    struct totals all = {0};
    for (size_t i = 0; i < 100; i++) {
        struct told told = {0};
        sequence_each_sender(table, note_reported, &told); /* reads while senders are evicted */
        assert_in_range(told.count, 0, TWO_SETS_EACH);
    }
    for (size_t i = 0; i < THREADS; i++) {
        thread_join(threads[i]);
        all.new_senders += workers[i].own.new_senders;
        all.evicted += workers[i].own.evicted;
    }
    size_t left = settle(table).senders;
    assert_int_equal(left, TWO_SETS_EACH);
    assert_int_equal(all.new_senders, THREADS * 5000);
    assert_int_equal(all.evicted + left, THREADS * 5000);
    sequence_table_destroy(table);
}
