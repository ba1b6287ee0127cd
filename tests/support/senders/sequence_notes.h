/* Notes sequence numbers for the tests of sequence.h, and compares outcomes field by field. */
#ifndef SLUICE_TESTS_SUPPORT_SENDERS_SEQUENCE_NOTES_H
#define SLUICE_TESTS_SUPPORT_SENDERS_SEQUENCE_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "collector/senders/sequence.h"

extern const uint8_t sequence_secret[16];

/* Performs all steps of noting a sequence number. */
struct sequence_outcome sequence_note(struct sequence_table *table, const struct sequence_key *key,
                                      uint64_t boot_id, uint64_t number);

/* Notes a sequence number of this sender, whose address is 192.0.2.1. */
struct sequence_outcome note_as(struct sequence_table *table, const char *sender, uint32_t listener,
                                uint64_t boot_id, uint64_t number);

/* The same as note_as, for one fixed sender on listener 0. */
struct sequence_outcome note(struct sequence_table *table, uint64_t boot_id, uint64_t number);

/* The same as note_as, for a sender with spread=datagram on listener 1. */
struct sequence_outcome note_spread(struct sequence_table *table, uint64_t boot_id,
                                    uint64_t number);

/* The same as note_as, for a sender with several paths on listener 2. */
struct sequence_outcome note_several(struct sequence_table *table, const char *sender,
                                     uint64_t boot_id, uint64_t number);

struct settled {
    uint64_t lost;
    size_t senders;
};

struct settled settle(struct sequence_table *table);

/* A cmocka setup and teardown. *state is a table for 1000 senders. */
int create_table(void **state);
int destroy_table(void **state);

/* Asserts that the named fields of an outcome have these values, and all other fields are zero. */
#define assert_outcome(given, ...)                                                                 \
    assert_same_outcome((given), (struct sequence_outcome){__VA_ARGS__}, __LINE__)
#define assert_quiet(given) assert_outcome((given), .lost = 0)

void assert_same_outcome(struct sequence_outcome a, struct sequence_outcome b, int line);

#endif
