/*
 * Counts the series of each sender. A part of series_table.h, used by the table's thread.
 *
 * It is a hash table with chains. A sender keeps its index in `places` while it has series, so each
 * series stores the index of its sender.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_SENDERS_H
#define SLUICE_COLLECTOR_SERIES_SERIES_SENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The index that no sender has. */
#define SERIES_NO_SENDER 0

struct series_sender {
    uint64_t id;    /* the sender's fingerprint */
    uint32_t count; /* number of its series */
    uint32_t next;  /* index of the next sender in the chain, or of the next free place */
};

struct series_senders {
    struct series_sender *places; /* indexes begin at 1 */
    uint32_t *chains;             /* index of the first sender of each chain */
    size_t most;                  /* upper limit of senders */
    uint32_t free;                /* index of the first free place */
};

/*
 * Allocates memory for `most` senders. Returns false if out of memory; series_senders_free must be
 * called in this case too.
 */
bool series_senders_init(struct series_senders *senders, size_t most);
void series_senders_free(struct series_senders *senders);
size_t series_senders_memory(size_t most);

uint32_t series_senders_count(const struct series_senders *senders, uint64_t id);

/* Counts one more series of the sender. Returns the sender's index. */
uint32_t series_senders_add(struct series_senders *senders, uint64_t id);

/* Counts one series less of the sender with this index. */
void series_senders_remove(struct series_senders *senders, uint32_t place);

#endif
