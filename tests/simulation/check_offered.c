#include "tests/simulation/check_offered.h"

#include <inttypes.h>

#include "tests/simulation/history.h"
#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/world.h"

/*
 * Numbers of decodable records in this life: all of them, and the least and the most that the sink
 * can have been offered.
 */
struct handed {
    uint64_t all, least, most;
};

static struct handed count_handed(unsigned index)
{
    struct handed handed = {0, 0, 0};
    for (uint32_t i = 0; i < history->sent_count; i++) {
        const struct sent *sent = &history->sent[i];
        if (sent->life != history->life || !sent->received || !sent->is_good)
            continue;
        handed.all++;
        handed.least += history_must_have(index, i);
        handed.most += history_may_have(index, i);
    }
    return handed;
}

uint64_t check_offered(json_t *sink, unsigned index, uint64_t decoded)
{
    uint64_t offered = ledger_number(sink, "offered");
    struct handed handed = count_handed(index);
    uint64_t without = handed.all - decoded; /* records for which the collector had no buffer; the
                                                sink may have been offered any of them */
    ledger_expect("messages while it was there", ledger_number(sink, "messages"), offered);
    if (history_always_had(index))
        ledger_expect("offered", offered, decoded);
    if (offered + without < handed.least || offered > handed.most)
        world_fail("sink %u was offered %" PRIu64 ", at least %" PRIu64 " less %" PRIu64
                   " and at most %" PRIu64,
                   index, offered, handed.least, without, handed.most);
    return offered;
}
