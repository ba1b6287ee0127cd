/* What became of the records of a block, by its answer, and how that is counted. The sink's thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTCOMES_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTCOMES_H

#include "collector/output/delivery_state.h"

/* Of the records of one block that have their fate now. */
struct delivery_outcomes {
    size_t written, unknown, gave_up;
    size_t left; /* have none yet: they are to be sent again */
    size_t failed[FAILURE_COUNT];
    size_t duplicates;
    uint64_t bytes;
    struct encoded sum; /* of those written */
};

/* Adds that of one record, by the answer in its block. `over`: it is not sent again. */
void delivery_complete_record(const struct delivery_writer *delivery,
                              const struct buffered_block *buffered, size_t index, bool over,
                              struct delivery_outcomes *outcomes);

/* Logs records that were not delivered, or may not be. */
void delivery_log_refusal(struct delivery_writer *delivery,
                          const struct delivery_outcomes *outcomes, const struct error *error);

/* The fates come into the ledger. */
void delivery_count_outcomes(struct delivery_writer *delivery,
                             const struct delivery_outcomes *outcomes);

#endif
