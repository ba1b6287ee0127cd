#include "tests/support/senders/sequence_notes.h"

#include "tests/support/test.h"

#include <string.h>

const uint8_t sequence_secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

struct sequence_outcome sequence_note(struct sequence_table *table, const struct sequence_key *key,
                                      uint64_t boot_id, uint64_t number)
{
    struct sequence_step step;
    sequence_begin(table, &step, key, boot_id, number);
    return sequence_end(table, &step);
}

struct sequence_outcome note_as(struct sequence_table *table, const char *sender, uint32_t listener,
                                uint64_t boot_id, uint64_t number)
{
    static const uint8_t host[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(host, 5000);
    struct sequence_key key = {
        .listener = listener, .source = &source, .sender = sender, .sender_size = strlen(sender)};
    return sequence_note(table, &key, boot_id, number);
}

struct sequence_outcome note(struct sequence_table *table, uint64_t boot_id, uint64_t number)
{
    return note_as(table, "sensor", 0, boot_id, number);
}

struct sequence_outcome note_spread(struct sequence_table *table, uint64_t boot_id, uint64_t number)
{
    static const uint8_t host[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(host, 5000);
    struct sequence_key key = {
        .listener = 1, .source = &source, .sender = "sensor", .sender_size = 6, .spread = true};
    return sequence_note(table, &key, boot_id, number);
}

struct sequence_outcome note_several(struct sequence_table *table, const char *sender,
                                     uint64_t boot_id, uint64_t number)
{
    static const uint8_t host[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(host, 5000);
    struct sequence_key key = {.listener = 2,
                               .source = &source,
                               .sender = sender,
                               .sender_size = strlen(sender),
                               .several = true};
    return sequence_note(table, &key, boot_id, number);
}

static void count_settled(void *context, uint32_t listener, uint64_t lost)
{
    struct settled *settled = context;
    (void)listener;
    settled->lost += lost;
    settled->senders++;
}

struct settled settle(struct sequence_table *table)
{
    struct settled settled = {0};
    sequence_finish(table, count_settled, &settled);
    return settled;
}

int create_table(void **state)
{
    *state = sequence_table_create(1000, sequence_secret);
    return *state == NULL ? -1 : 0;
}

int destroy_table(void **state)
{
    sequence_table_destroy(*state);
    return 0;
}

void assert_same_outcome(struct sequence_outcome a, struct sequence_outcome b, int line)
{
    if (a.lost != b.lost || a.duplicated != b.duplicated || a.reordered != b.reordered ||
        a.late != b.late || a.restarted != b.restarted || a.new_senders != b.new_senders ||
        a.evicted != b.evicted || a.evicted_listener != b.evicted_listener ||
        a.evicted_lost != b.evicted_lost)
        fail_msg("line %d: lost %llu duplicated %u reordered %u late %u restarted %u new %u "
                 "evicted %u of %u lost %llu",
                 line, (unsigned long long)a.lost, (unsigned)a.duplicated, (unsigned)a.reordered,
                 (unsigned)a.late, (unsigned)a.restarted, (unsigned)a.new_senders,
                 (unsigned)a.evicted, (unsigned)a.evicted_listener,
                 (unsigned long long)a.evicted_lost);
}
