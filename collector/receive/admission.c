#include "collector/receive/admission.h"

#include "collector/base/networks.h"
#include "collector/senders/rate_limit.h"

static bool may_send(const struct listener *listener, const struct address *source)
{
    return listener->senders == NULL || networks_hold(listener->senders, source);
}

static bool may_send_more(const struct listener *listener, const struct datagram_slot *datagram)
{
    return listener->rate_limit == NULL ||
           rate_limit_take(listener->rate_limit, &datagram->source, datagram->received_ns);
}

/* If the open batch is not used, it is kept for the next datagram. */
bool admit_datagram(struct open_datagram *open, struct refusal *refusal)
{
    const struct listener *listener = open->ingest->listener;
    if (!open_datagram_has_batch(open))
        return refused_for(refusal, REASON_NO_BUFFER);
    if (!may_send(listener, &open->slot->source))
        return refused_for(refusal, REASON_SOURCE_DENIED);
    if (!may_send_more(listener, open->slot))
        return refused_for(refusal, REASON_RATE_LIMITED);
    if (open->slot->truncated)
        return refused_for(refusal, REASON_TRUNCATED);
    return open_datagram_find(open, refusal);
}
