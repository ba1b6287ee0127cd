/*
 * How many series each sender has brought: a part of series_table.h, whose thread uses it.
 *
 * A hash table with chains. A sender's place does not change while it has series, so a series keeps
 * the place as a number.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_SENDERS_H
#define SLUICE_COLLECTOR_SERIES_SERIES_SENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number that is not the place of any sender. */
#define SERIES_NO_SENDER 0

struct series_sender {
    uint64_t id;    /* the sender's fingerprint */
    uint32_t count; /* of its series */
    uint32_t next;  /* place of the next sender in its chain, or of the next free place */
};

struct series_senders {
    struct series_sender *places; /* from 1 on */
    uint32_t *chains;             /* the first place of each chain */
    size_t most;                  /* senders */
    uint32_t free;                /* the first free place */
};

/* Returns whether there was memory for `most` senders; a zeroed struct has none. */
bool series_senders_init(struct series_senders *senders, size_t most);
void series_senders_free(struct series_senders *senders);
size_t series_senders_memory(size_t most);

/* Returns the number of the sender's series. */
uint32_t series_senders_count(const struct series_senders *senders, uint64_t id);

/* Counts one more series of the sender. Returns the sender's place. */
uint32_t series_senders_add(struct series_senders *senders, uint64_t id);

/* Counts one series less of the sender at this place. */
void series_senders_remove(struct series_senders *senders, uint32_t place);

#endif
