#include "tests/simulation/check_delivery.h"

#include <inttypes.h>

#include "tests/simulation/history.h"
#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/spill_folder.h"
#include "tests/simulation/world.h"

static struct delivered *of(unsigned index)
{
    return &history->delivered[index];
}

/* What lay on disk when the last life ended, was not settled since, and is there no more. */
static uint64_t count_missing(const struct delivered *delivered)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < history->sent_count; i++)
        missing += delivered->owed[i] && !delivered->settled[i] && !delivered->on_disk[i];
    return missing;
}

static uint32_t first_missing(const struct delivered *delivered)
{
    uint32_t i = 0;
    while (!delivered->owed[i] || delivered->settled[i] || delivered->on_disk[i])
        i++;
    return i;
}

/* Those of this life that the program had, and that are neither settled nor on disk. */
static uint64_t count_gone(const struct delivered *delivered)
{
    uint64_t gone = 0;
    for (uint32_t i = 0; i < history->sent_count; i++) {
        const struct sent *sent = &history->sent[i];
        gone += sent->life == history->life && sent->received && sent->is_good &&
                !delivered->settled[i] && !delivered->on_disk[i];
    }
    return gone;
}

/* Those that lie there and are to be sent. */
static uint64_t count_waiting(const struct delivered *delivered)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < history->sent_count; i++)
        waiting += delivered->on_disk[i] && !delivered->settled[i];
    return waiting;
}

static uint64_t count_doubtful(const struct delivered *delivered)
{
    uint64_t doubtful = 0;
    for (uint32_t i = 0; i < history->sent_count; i++)
        doubtful += delivered->doubtful[i] && !delivered->settled[i];
    return doubtful;
}

static uint64_t handed_and_good(void)
{
    uint64_t good = 0;
    for (uint32_t i = 0; i < history->sent_count; i++)
        good += history->sent[i].life == history->life && history->sent[i].received &&
                history->sent[i].is_good;
    return good;
}

static uint64_t optional(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void at_least(const char *what, uint64_t is, uint64_t least)
{
    if (is < least)
        world_fail("%s: %" PRIu64 ", at least %" PRIu64, what, is, least);
}

/* --- what the ledger says --------------------------------------------------------------------- */

static void check_answers(const struct delivered *delivered, json_t *ledger, uint64_t recovered)
{
    const json_t *failed = json_object_get(ledger, "failed");
    uint64_t rejected = optional(failed, "rejected"), denied = optional(failed, "denied");
    uint64_t too_large = optional(failed, "too_large");
    uint64_t duplicates = optional(ledger, "possible_duplicates");
    ledger_expect("acknowledged", ledger_number(ledger, "written"), delivered->acknowledged);
    ledger_expect("lines", ledger_number(ledger, "lines"), delivered->acknowledged);
    at_least("acknowledged", delivered->acknowledged, duplicates);
    if (!history->had_power_cut && history->faults == 0) /* else that may not have been noted */
        at_least("possible duplicates", duplicates, delivered->certain_duplicates);
    at_least("possible duplicates", duplicates, delivered->known_duplicates);
    if (recovered != 0) /* what an earlier run had sent is not known by the record */
        return;
    ledger_expect("possible duplicates", duplicates, delivered->known_duplicates);
    ledger_expect("rejected", rejected, delivered->rejected);
    ledger_expect("too large", too_large, delivered->too_large);
    ledger_expect("denied", denied, delivered->denied);
}

/* Each record that is not answered and not on disk has a term that says so. */
static void check_rest(const struct delivered *delivered, json_t *ledger, uint64_t decoded,
                       uint64_t recovered)
{
    uint64_t refused_by_it = delivered->rejected + delivered->too_large + delivered->denied;
    uint64_t gone = count_gone(delivered) + count_missing(delivered);
    uint64_t told = handed_and_good() - decoded + ledger_sum(ledger, "refused") +
                    optional(ledger, "evicted") + optional(ledger, "unknown") +
                    ledger_sum(ledger, "failed");
    if (recovered == 0)
        ledger_expect("neither answered nor on disk", gone,
                      told - refused_by_it - delivered->refused_in_doubt);
    else
        at_least("what has a term", told, gone);
}

static void check_spilled(const struct delivered *delivered, uint64_t spilled, uint64_t recovered)
{
    uint64_t waiting = count_waiting(delivered);
    if (history->faults == 0 && recovered == 0)
        ledger_expect("spilled", spilled, waiting);
    else if (history->faults == 0)
        at_least("spilled", spilled, waiting);
}

static void check_ledger(const struct scenario_sink *sink, const struct delivered *delivered,
                         json_t *ledger, uint64_t decoded)
{
    uint64_t queued = ledger_number(ledger, "queued"), unknown = optional(ledger, "unknown");
    uint64_t spilled = optional(ledger, "spilled"), recovered = optional(ledger, "recovered");
    ledger_expect("offered", ledger_number(ledger, "offered"), decoded);
    ledger_expect("queued and refused", queued + ledger_sum(ledger, "refused"), decoded);
    ledger_expect("in flight", ledger_number(ledger, "in_flight"), 0);
    ledger_expect("written, filtered, evicted, failed, unknown and spilled",
                  ledger_number(ledger, "written") + ledger_number(ledger, "filtered") +
                      ledger_number(ledger, "evicted") + ledger_sum(ledger, "failed") + unknown +
                      spilled,
                  queued + recovered);
    check_answers(delivered, ledger, recovered);
    check_rest(delivered, ledger, decoded, recovered);
    if (sink->spill[0] == '\0') {
        ledger_expect("unknown", unknown, count_doubtful(delivered) + delivered->refused_in_doubt);
        ledger_expect("spilled and recovered", spilled + recovered, 0);
    } else {
        check_spilled(delivered, spilled, recovered);
    }
}

/* --- what lies on disk ------------------------------------------------------------------------ */

/* What is damaged by a disk that fails may be lost, and what is evicted for newer records. */
static void check_that_it_stayed(const struct scenario_sink *sink, unsigned index, bool stopped)
{
    const struct delivered *delivered = of(index);
    if (stopped || history->faults != 0 || sink->evicts || count_missing(delivered) == 0)
        return;
    uint32_t number = first_missing(delivered);
    world_fail("sink %u has lost datagram %u of life %u, which lay in its spill", index, number,
               history->sent[number].life);
}

static void note_owed(struct delivered *delivered)
{
    for (uint32_t i = 0; i < history->sent_count; i++)
        delivered->owed[i] = delivered->on_disk[i] && !delivered->settled[i];
}

void check_delivery(const struct scenario_sink *sink, unsigned index, json_t *ledger,
                    uint64_t decoded)
{
    struct delivered *delivered = of(index);
    if (sink->spill[0] != '\0')
        delivered->last_block = spill_folder_read(sink->spill, delivered->on_disk);
    check_that_it_stayed(sink, index, ledger != NULL);
    if (ledger != NULL)
        check_ledger(sink, delivered, ledger, decoded);
    note_owed(delivered);
}

/* With fsync=always all but the block that was just being stored. */
void check_delivery_after_power_cut(const struct scenario_sink *sink, unsigned index)
{
    struct delivered *delivered = of(index);
    if (sink->spill[0] == '\0')
        return;
    spill_folder_read(sink->spill, delivered->on_disk);
    uint64_t missing = count_missing(delivered);
    if (sink->syncs_each && history->faults == 0 && missing > delivered->last_block)
        world_fail("sink %u has lost %" PRIu64 " records with the power, datagram %u is the first",
                   index, missing, first_missing(delivered));
    note_owed(delivered);
}
