/*
 * Determines the outcomes of a block's records from the destination's answers, and counts them in
 * the ledger. The sink's thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTCOMES_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTCOMES_H

#include "collector/output/delivery_state.h"

/* The outcomes of one block's records. */
struct delivery_outcomes {
    size_t written, unknown, gave_up;
    size_t left; /* records without an outcome, which are sent again */
    size_t failed[FAILURE_COUNT];
    size_t duplicates;
    uint64_t bytes;
    struct encoded sum; /* sum over the written records */
};

/*
 * Adds the outcome of one record, according to the answer in its block. If `over`, the record is
 * not sent again.
 */
void delivery_complete_record(const struct delivery_writer *delivery,
                              const struct buffered_block *buffered, size_t index, bool over,
                              struct delivery_outcomes *outcomes);

/* Logs how many records were refused, or may not have been delivered. */
void delivery_log_refusal(struct delivery_writer *delivery,
                          const struct delivery_outcomes *outcomes, const struct error *error);

/* Returns the number of records that the outcomes count, including `left`. */
size_t delivery_outcomes_count(const struct delivery_outcomes *outcomes);

/* Adds the outcomes to the ledger. */
void delivery_count_outcomes(struct delivery_writer *delivery,
                             const struct delivery_outcomes *outcomes);

#endif
