#include "tests/simulation/check_delivery.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/output/delivery_time.h"
#include "tests/simulation/check_offered.h"
#include "tests/simulation/history.h"
#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/spill_folder.h"
#include "tests/simulation/world.h"

static struct delivered *of(unsigned index)
{
    return &history->delivered[index];
}

/*
 * Counts records that are lost: they were on disk when the last life ended, have no outcome since
 * then, and are not on disk now.
 */
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

/*
 * Counts records of this life for which `had` returns true, and which have no outcome and are not
 * on disk.
 */
static uint64_t count_gone(unsigned index, bool (*had)(unsigned sink, uint32_t number))
{
    const struct delivered *delivered = of(index);
    uint64_t gone = 0;
    for (uint32_t i = 0; i < history->sent_count; i++)
        gone += history->sent[i].life == history->life && had(index, i) && !delivered->settled[i] &&
                !delivered->on_disk[i];
    return gone;
}

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
        doubtful += delivered->maybe_sent[i] && !delivered->settled[i];
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

/* --- the ledger ------------------------------------------------------------------------------- */

static void check_answers(const struct delivered *delivered, json_t *ledger, bool is_known)
{
    const json_t *failed = json_object_get(ledger, "failed");
    uint64_t rejected = optional(failed, "rejected"), denied = optional(failed, "denied");
    uint64_t too_large = optional(failed, "too_large");
    uint64_t duplicates = optional(ledger, "possible_duplicates");
    ledger_expect("acknowledged", ledger_number(ledger, "written"), delivered->acknowledged);
    ledger_expect("lines", ledger_number(ledger, "lines"), delivered->acknowledged);
    at_least("acknowledged", delivered->acknowledged, duplicates);
    at_least("possible duplicates", duplicates, delivered->certain_duplicates);
    at_least("possible duplicates", duplicates, delivered->known_duplicates);
    if (!is_known)
        return;
    ledger_expect("possible duplicates", duplicates, delivered->known_duplicates);
    ledger_expect("rejected", rejected, delivered->rejected);
    ledger_expect("too large", too_large, delivered->too_large);
    ledger_expect("denied", denied, delivered->denied);
}

/*
 * Checks the number of records that the ledger reports as damaged. Without a power cut, the disk
 * returns all written data. So a block can only be damaged if the collector was killed while it
 * wrote the block. The killed life does not report these records, so a later life does.
 */
static void check_damage(struct delivered *delivered, json_t *ledger)
{
    uint64_t damaged = optional(json_object_get(ledger, "failed"), "damaged");
    if (history->had_power_cut)
        return;
    at_least("blocks whose ends are cut", delivered->was_torn, damaged);
    delivered->was_torn -= (size_t)damaged;
}

/* Checks that the ledger counts each record that has no outcome and is not on disk. */
static void check_rest(unsigned index, json_t *ledger, uint64_t decoded, bool is_known)
{
    const struct delivered *delivered = of(index);
    uint64_t missing = count_missing(delivered);
    uint64_t least = count_gone(index, history_must_have) + missing;
    uint64_t most = count_gone(index, history_may_have) + missing;
    uint64_t no_buffer = handed_and_good() - decoded;
    uint64_t told = no_buffer + ledger_sum(ledger, "refused") + optional(ledger, "evicted") +
                    optional(ledger, "unknown") + ledger_sum(ledger, "failed");
    at_least("what has a term", told, least);
    if (!is_known)
        return;
    uint64_t answered = delivered->rejected + delivered->too_large + delivered->denied +
                        delivered->refused_in_doubt;
    at_least("what has a term", told - answered, least);
    at_least("what is neither answered nor on disk", most,
             told - answered - (history_always_had(index) ? 0 : no_buffer));
}

static void check_spilled(const struct delivered *delivered, uint64_t spilled, uint64_t recovered)
{
    uint64_t waiting = count_waiting(delivered);
    if (history->faults == 0 && recovered == 0)
        ledger_expect("spilled", spilled, waiting);
    else if (history->faults == 0)
        at_least("spilled", spilled, waiting);
}

/*
 * Returns true if the ledger's counts can be predicted exactly. A record does not show whether it
 * was sent already. So the counts cannot be predicted if the spill had records of an earlier life,
 * or records that another sink wrote before a reload.
 */
static bool is_known(const struct scenario_sink *sink, unsigned index, uint64_t recovered)
{
    return recovered == 0 && (sink->spill[0] == '\0' || of(index)->connections == 1);
}

static void check_ledger(const struct scenario_sink *sink, unsigned index, json_t *ledger,
                         uint64_t decoded)
{
    struct delivered *delivered = of(index);
    uint64_t queued = ledger_number(ledger, "queued"), unknown = optional(ledger, "unknown");
    uint64_t spilled = optional(ledger, "spilled"), recovered = optional(ledger, "recovered");
    bool known = is_known(sink, index, recovered);
    ledger_expect("queued and refused", queued + ledger_sum(ledger, "refused"),
                  check_offered(ledger, index, decoded));
    ledger_expect("in flight", ledger_number(ledger, "in_flight"), 0);
    ledger_expect("written, filtered, evicted, failed, unknown and spilled",
                  ledger_number(ledger, "written") + ledger_number(ledger, "filtered") +
                      ledger_number(ledger, "evicted") + ledger_sum(ledger, "failed") + unknown +
                      spilled,
                  queued + recovered);
    check_answers(delivered, ledger, known);
    check_damage(delivered, ledger);
    check_rest(index, ledger, decoded, known);
    if (sink->spill[0] == '\0') {
        ledger_expect("unknown", unknown, count_doubtful(delivered) + delivered->refused_in_doubt);
        ledger_expect("spilled and recovered", spilled + recovered, 0);
    } else {
        check_spilled(delivered, spilled, recovered);
    }
}

/* --- blocks on disk --------------------------------------------------------------------------- */

/*
 * Checks that no record on disk was lost. Checks nothing after a stop, if the disk has failed, or
 * if the sink evicts records.
 */
static void check_that_it_stayed(const struct scenario_sink *sink, unsigned index, bool stopped)
{
    const struct delivered *delivered = of(index);
    if (stopped || history->faults != 0 || sink->evicts || count_missing(delivered) == 0)
        return;
    uint32_t number = first_missing(delivered);
    world_fail("sink %u has lost datagram %u of life %u, which lay in its spill", index, number,
               history->sent[number].life);
}

/* The largest delay of the sink, including late wake-ups. */
#define SLACK_NS (500 * MILLISECONDS)

/*
 * Checks that a kill lost only records that the sink did not have to store yet. A record must be on
 * disk when it has had no answer for DELIVERY_KEEP_NS. With fsync=always it must be on disk before
 * it is sent.
 */
static void check_that_it_is_kept(const struct scenario_sink *sink, unsigned index, bool stopped)
{
    const struct delivered *delivered = of(index);
    int64_t limit_ns =
        sink->syncs_each ? 0 : DELIVERY_KEEP_NS + SLACK_NS + world_longest_stall_ns();
    if (stopped || history->faults != 0 || sink->evicts || sink->spill[0] == '\0')
        return;
    for (uint32_t i = 0; i < history->sent_count; i++) {
        int64_t waits_ns = world_now_ns() - delivered->handed_ns[i];
        if (delivered->handed_ns[i] != 0 && !delivered->on_disk[i] && waits_ns > limit_ns)
            world_fail("sink %u loses datagram %u, which has waited for its answer for %lld ms",
                       index, i, (long long)(waits_ns / MILLISECONDS));
    }
}

/*
 * Returns true if the log says that the spill in `folder` could not be closed. Log lines about
 * other errors contain "trying again".
 */
static bool could_not_be_closed(const char *folder)
{
    char said[64];
    snprintf(said, sizeof said, "spill %s: ", folder);
    for (const char *at = strstr(history->log, said); at != NULL; at = strstr(at + 1, said)) {
        const char *end = strchr(at, '\n');
        const char *again = strstr(at, "; trying again");
        if (again == NULL || again > end)
            return true;
    }
    return false;
}

/*
 * Notes whether the next life may not know which records this one has sent. A program that stops
 * writes that to the disk at its end; a failing disk can prevent that. A power cut loses data that
 * was not synced.
 */
static void note_forgetting(const struct scenario_sink *sink, struct delivered *delivered)
{
    bool stopped = history->end == LIFE_STOPPED;
    delivered->forgets[history->life] =
        (history->faults != 0 && (!stopped || could_not_be_closed(sink->spill))) ||
        (history->end == LIFE_POWER_CUT && !sink->syncs);
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
    delivered->was_torn += delivered->torn;
    if (sink->spill[0] != '\0')
        delivered->last_block =
            spill_folder_read(sink->spill, delivered->on_disk, &delivered->torn);
    check_that_it_stayed(sink, index, ledger != NULL);
    check_that_it_is_kept(sink, index, ledger != NULL);
    if (ledger != NULL)
        check_ledger(sink, index, ledger, decoded);
    note_forgetting(sink, delivered);
    note_owed(delivered);
}

/*
 * Checks the disk after a power cut. With fsync=always only the block that was being stored may be
 * lost.
 */
void check_delivery_after_power_cut(const struct scenario_sink *sink, unsigned index)
{
    struct delivered *delivered = of(index);
    if (sink->spill[0] == '\0')
        return;
    spill_folder_read(sink->spill, delivered->on_disk, &delivered->torn);
    uint64_t missing = count_missing(delivered);
    if (sink->syncs_each && history->faults == 0 && missing > delivered->last_block)
        world_fail("sink %u has lost %" PRIu64 " records with the power, datagram %u is the first",
                   index, missing, first_missing(delivered));
    /* A power cut may bring evicted records back, so only the records on disk are owed. */
    for (uint32_t i = 0; i < history->sent_count; i++)
        delivered->owed[i] = delivered->owed[i] && delivered->on_disk[i];
}
