#include "collector/output/delivery_outcomes.h"

#include "collector/base/rule.h"

static enum record_failure failure_of_reason(uint8_t reason)
{
    static const enum record_failure reasons[] = {
        [DELIVERY_REJECTED] = FAILED_REJECTED,
        [DELIVERY_TOO_LARGE] = FAILED_TOO_LARGE,
        [DELIVERY_DENIED] = FAILED_DENIED,
    };
    RULE(reason < sizeof reasons / sizeof reasons[0], "a refusal has one of the reasons");
    return reasons[reason];
}

/*
 * Counts a record that is not sent again. If any attempt to send it got no answer, the record may
 * be at the far end.
 */
static void give_record_up(const struct delivery_writer *delivery, struct delivery_record *record,
                           struct delivery_outcomes *outcomes)
{
    record->done = true;
    if (record->maybe_sent || record->repeated)
        outcomes->unknown++;
    else if (delivery->base.state == SINK_WRITING)
        outcomes->failed[FAILED_TIMEOUT_UNSENT]++;
    else
        outcomes->gave_up++;
}

static bool is_sent_again(const struct delivery_writer *delivery, uint8_t outcome)
{
    bool once =
        delivery->base.options.settings->delivery.retry == RETRY_AT_MOST_ONCE && !delivery->repeats;
    return outcome == DELIVERY_NOT_SENT || (outcome == DELIVERY_UNKNOWN && delivery->repeats) ||
           (outcome == DELIVERY_MAYBE_SENT && !once);
}

void delivery_complete_record(const struct delivery_writer *delivery,
                              const struct buffered_block *buffered, size_t index, bool over,
                              struct delivery_outcomes *outcomes)
{
    const struct delivery_block *block = &buffered->block;
    struct delivery_record *record = &block->records[index];
    uint8_t outcome = block->per_record ? record->outcome : block->outcome;
    uint8_t reason = block->per_record ? record->reason : block->reason;
    if (record->done)
        return;
    RULE(outcome <= DELIVERY_PARTLY_ACCEPTED, "a destination answers every open record of a block");
    if (outcome == DELIVERY_ACKNOWLEDGED) {
        record->done = true;
        outcomes->written++;
        outcomes->duplicates += record->maybe_sent || record->repeated;
        outcomes->bytes += record->size;
        encoded_counts_add(&outcomes->sum, &buffered->counts[index]);
        return;
    }
    record->maybe_sent =
        record->maybe_sent || outcome == DELIVERY_UNKNOWN || outcome == DELIVERY_MAYBE_SENT ||
        outcome == DELIVERY_PARTLY_ACCEPTED ||
        /* a spill stores maybe_sent, but not `repeated` */
        (outcome == DELIVERY_NOT_SENT && record->repeated && delivery->spill != NULL);
    if (outcome == DELIVERY_REFUSED && !record->maybe_sent) {
        record->done = true;
        outcomes->failed[failure_of_reason(reason)]++;
        return;
    }
    if (is_sent_again(delivery, outcome) && !over)
        outcomes->left++;
    else
        give_record_up(delivery, record, outcomes);
}

size_t delivery_outcomes_count(const struct delivery_outcomes *outcomes)
{
    size_t count = outcomes->written + outcomes->unknown + outcomes->gave_up + outcomes->left;
    for (int i = 0; i < FAILURE_COUNT; i++)
        count += outcomes->failed[i];
    return count;
}

void delivery_log_refusal(struct delivery_writer *delivery,
                          const struct delivery_outcomes *outcomes, const struct error *error)
{
    const size_t *failed = outcomes->failed;
    const bool is_outage = sink_outage_is_open(&delivery->base.outage);
    size_t refused = failed[FAILED_REJECTED] + failed[FAILED_TOO_LARGE] + failed[FAILED_DENIED];
    size_t late = is_outage ? 0 : failed[FAILED_TIMEOUT_UNSENT] + outcomes->unknown;
    uint64_t left_out;
    if (refused + late == 0 || !log_allowed(&delivery->refusal_log, &left_out))
        return;
    log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name,
              "%zu record%s not delivered, or may not have been: %s", refused + late,
              refused + late == 1 ? " was" : "s were", error->text);
}

void delivery_count_outcomes(struct delivery_writer *delivery,
                             const struct delivery_outcomes *outcomes)
{
    struct sink_writer *writer = &delivery->base;
    struct sink_counters *counters = writer->options.counters;
    counter_add(&counters->bytes, outcomes->bytes);
    counter_add(&counters->possible_duplicates, outcomes->duplicates);
    sink_writer_count_written(writer, outcomes->written, &outcomes->sum);
    sink_writer_count_unknown(writer, outcomes->unknown);
    sink_writer_count_failed(writer, outcomes->gave_up);
    for (int i = 0; i < FAILURE_COUNT; i++)
        sink_writer_count_failed_by(writer, (enum record_failure)i, outcomes->failed[i]);
    sink_writer_publish(writer);
}
