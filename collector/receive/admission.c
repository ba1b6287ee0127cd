#include "collector/receive/admission.h"

#include "collector/base/networks.h"
#include "collector/receive/decrypting.h"
#include "collector/receive/unsealing.h"
#include "collector/senders/rate_limit.h"
#include "collector/text/compiler.h"

static bool may_send(const struct listener *listener, const struct address *source)
{
    return listener->senders == NULL || networks_hold(listener->senders, source);
}

static bool may_send_more(const struct open_datagram *open)
{
    const struct datagram_slot *datagram = open->slot;
    return rate_limit_take(open->ingest->listener->rate_limit, &datagram->source, open->sender,
                           datagram->received_ns);
}

/*
 * Checks the sender's rate limit. Called before a sealed or encrypted datagram is opened, and again
 * with `opened` after that. Only the second call counts such a datagram, because its sender is not
 * proved before. A forged datagram must not count against the sender that it names.
 */
static ALWAYS_INLINE bool is_within_rate(struct open_datagram *open, bool opened,
                                         struct refusal *refusal)
{
    const struct ingest *ingest = open->ingest;
    if (ingest->listener->rate_limit == NULL)
        return true;
    bool closed = ingest->listener->keys != NULL || ingest->decrypting != NULL;
    return closed != opened || may_send_more(open) || refused_for(refusal, REASON_RATE_LIMITED);
}

/* If the datagram is refused, the open batch is kept for the next datagram. */
bool admit_datagram(struct open_datagram *open, struct refusal *refusal)
{
    const struct listener *listener = open->ingest->listener;
    if (!open_datagram_has_batch(open))
        return refused_for(refusal, REASON_NO_BUFFER);
    if (!may_send(listener, &open->slot->source))
        return refused_for(refusal, REASON_SOURCE_DENIED);
    if (!is_within_rate(open, false, refusal))
        return false;
    if (open->slot->truncated)
        return refused_for(refusal, REASON_TRUNCATED);
    if (listener->keys != NULL &&
        (!unseal_datagram(open, refusal) || !is_within_rate(open, true, refusal)))
        return false;
    if (open->ingest->decrypting != NULL &&
        (!decrypt_datagram(open, refusal) || !is_within_rate(open, true, refusal)))
        return false;
    return open_datagram_find(open, refusal);
}
