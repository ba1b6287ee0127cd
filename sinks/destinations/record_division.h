/*
 * The messages that become of one block where a far end limits a message: ranges of its records.
 *
 * Each range fits a limit that is known beforehand, and is divided in halves where the far end
 * refuses it all the same, until a record that is refused is the only one of its range. A range has
 * no record that is done. Pure functions on memory of the caller.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_DIVISION_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_DIVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

/* Ranges that wait: two for each of the times that 2^32 records can be divided, and the block. */
#define RECORD_RANGES_MOST 66

/* Some records of a block, one after the other. */
struct record_range {
    uint32_t first, count;
};

struct record_division {
    struct record_range waiting[RECORD_RANGES_MOST]; /* the last one comes next */
    size_t count;
};

/* All records of the block are to be sent. */
void record_division_begin(struct record_division *division, const struct delivery_block *block);

/*
 * Takes the next records that are not done: at least one, and no more than have `most` bytes
 * (record_range_size). Returns false when there are no more.
 */
bool record_division_next(struct record_division *division, const struct delivery_block *block,
                          size_t most, struct record_range *range);

/*
 * The last range taken was too large for the far end: its halves come next. Returns false where it
 * has a single record, which is too large.
 */
bool record_division_divide(struct record_division *division, const struct record_range *range);

/* The last range taken comes again. */
void record_division_return(struct record_division *division, const struct record_range *range);

/* Bytes of a message of these records: the block's head is before the first one in each. */
size_t record_range_size(const struct delivery_block *block, const struct record_range *range);

#endif
