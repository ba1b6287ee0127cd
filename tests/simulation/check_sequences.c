#include "tests/simulation/check_sequences.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/simulation/history.h"
#include "tests/simulation/ledger_reading.h"

/*
 * A sequence number that is this far below the highest one counts as late, even if it arrived
 * before.
 */
#define WINDOW 1024

/* The sequence numbers of one sender while the listener existed. */
struct flow {
    uint32_t first, highest; /* 0 if no number has arrived */
    bool seen[HISTORY_DATAGRAMS + 1];
};

struct findings {
    uint64_t senders, lost, duplicated, reordered, late;
};

static void take(struct flow *flow, uint32_t sequence, struct findings *findings)
{
    if (flow->highest == 0) {
        findings->senders++;
        flow->first = flow->highest = sequence;
    } else if (sequence + WINDOW <= flow->highest) {
        findings->late++;
        return;
    } else if (flow->seen[sequence]) {
        findings->duplicated++;
    } else if (sequence < flow->highest) {
        findings->reordered++;
    }
    flow->seen[sequence] = true;
    if (sequence < flow->first)
        flow->first = sequence;
    if (sequence > flow->highest)
        flow->highest = sequence;
}

static uint64_t count_unseen(const struct flow *flow)
{
    uint64_t unseen = 0;
    for (uint32_t i = flow->first; i <= flow->highest && flow->highest != 0; i++)
        unseen += !flow->seen[i];
    return unseen;
}

void check_sequences(const json_t *listener, unsigned index)
{
    static struct flow flows[HISTORY_SENDER_FLOWS];
    struct findings found = {0};
    memset(flows, 0, sizeof flows);
    for (uint32_t i = 0; i < history->sent_count; i++) {
        const struct sent *sent = &history->sent[i];
        if (sent->life == history->life && sent->listener == index && sent->received &&
            sent->is_good)
            take(&flows[sent->flow], sent->sequence, &found);
    }
    for (unsigned i = 0; i < HISTORY_SENDER_FLOWS; i++)
        found.lost += count_unseen(&flows[i]);
    ledger_expect("senders", ledger_number(listener, "senders"), found.senders);
    ledger_expect("duplicated", ledger_number(listener, "duplicated"), found.duplicated);
    ledger_expect("reordered", ledger_number(listener, "reordered"), found.reordered);
    ledger_expect("late", ledger_number(listener, "late"), found.late);
    ledger_expect("lost", ledger_number(listener, "lost"), found.lost);
    ledger_expect("restarted", ledger_number(listener, "restarted"), 0);
    ledger_expect("senders forgotten", ledger_number(listener, "senders_evicted"), 0);
}
