/* The reason for which a datagram is refused. */
#ifndef SLUICE_COLLECTOR_RECEIVE_REFUSAL_H
#define SLUICE_COLLECTOR_RECEIVE_REFUSAL_H

#include <stdbool.h>

#include "collector/contract/decode_failure.h"
#include "collector/ledger/ledger.h"

struct refusal {
    enum datagram_reason reason;
    bool limited; /* the datagram exceeds max_decoded, so a larger batch would not help */
    struct decode_failure failure; /* CAUSE_UNKNOWN if its bytes are not the reason */
};

/*
 * Sets a reason that is not a fault in the bytes. Always returns false, so the caller can return
 * the result.
 */
static inline bool refused_for(struct refusal *refusal, enum datagram_reason reason)
{
    refusal->reason = reason;
    refusal->failure.cause = CAUSE_UNKNOWN;
    return false;
}

#endif
