#include "collector/receive/unsealing.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/framing/sealed.h"
#include "collector/log/log.h"
#include "collector/senders/key_sessions.h"
#include "collector/senders/sender_keys.h"

/*
 * The floor of a session is the time up to which its datagrams are stale. A floor that is ahead of
 * the clock by more than this (nanoseconds) is reported; clocks that agree differ by less.
 */
#define FLOOR_AHEAD_NS INT64_C(5000000000)

struct unsealing {
    struct log_limit floor_log;
    struct datagram_slot slot;        /* payload of the latest datagram */
    uint8_t bytes[DATAGRAM_MAX_SIZE]; /* the payload, after room for the header; or a datagram in
                                         one piece */
};

bool unsealing_create(struct ingest *ingest)
{
    if (ingest->listener->keys == NULL)
        return true;
    /* The memory is not cleared, so that pages that no datagram needs take no memory. */
    ingest->unsealing = malloc(sizeof *ingest->unsealing);
    if (ingest->unsealing == NULL)
        return false;
    ingest->unsealing->floor_log = (struct log_limit){0};
    return true;
}

void unsealing_destroy(struct unsealing *unsealing)
{
    free(unsealing);
}

size_t unsealing_memory(void)
{
    return sizeof(struct unsealing);
}

/* Returns the datagram itself if all of it is in `front`, otherwise a copy. */
static const uint8_t *in_one_piece(struct unsealing *unsealing, const struct datagram_slot *slot)
{
    size_t front = datagram_front_size(slot);
    if (slot->size == front)
        return slot->front;
    memcpy(unsealing->bytes, slot->front, front);
    memcpy(unsealing->bytes + front, slot->rest, slot->size - front);
    return unsealing->bytes;
}

static bool is_apart(int64_t a, int64_t b, int64_t most)
{
    uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return apart > (uint64_t)most;
}

/*
 * Logs that a session's floor is ahead of the clock, because the clock of this machine or of the
 * sender was ahead earlier. Until the clock reaches the floor, all datagrams of the session are
 * stale.
 */
static void report_floor(const struct open_datagram *open, const struct sender_key *key,
                         const struct sealed_header *header)
{
    uint64_t held;
    const int64_t floor_ns = key_sessions_floor(key->sessions, header->session);
    const int64_t received_ns = open->slot->received_ns;
    if (floor_ns < header->time_ns || floor_ns < received_ns ||
        !is_apart(floor_ns, received_ns, FLOOR_AHEAD_NS) ||
        !log_allowed(&open->ingest->unsealing->floor_log, &held))
        return;
    log_line(LOG_WARNING,
             "%s: datagrams of %s are refused as stale for %lld s more, because this machine's "
             "clock, or the sender's, was ahead; correct the clocks, then restart if this has no "
             "state=, or stop, remove the state file and start (%llu such datagrams not logged)",
             open->ingest->listener->name, key->name,
             (long long)(((uint64_t)floor_ns - (uint64_t)received_ns) / 1000000000),
             (unsigned long long)held);
}

static bool is_new(const struct open_datagram *open, const struct sender_key *key,
                   const struct sealed_header *header, struct refusal *refusal)
{
    if (is_apart(open->slot->received_ns, header->time_ns, open->ingest->listener->seal_max_age_ns))
        return refused_for(refusal, REASON_STALE);
    switch (key_sessions_take(key->sessions, header)) {
    case SEAL_STALE:
        report_floor(open, key, header);
        return refused_for(refusal, REASON_STALE);
    case SEAL_REPLAYED:
        return refused_for(refusal, REASON_REPLAYED);
    case SEAL_ACCEPTED:
        break;
    }
    return true;
}

static void hand_over(struct open_datagram *open, const struct sender_key *key)
{
    struct unsealing *unsealing = open->ingest->unsealing;
    const struct datagram_slot *sealed = open->slot;
    const uint8_t *payload = unsealing->bytes + SEALED_HEADER_SIZE;
    unsealing->slot = (struct datagram_slot){
        .front = payload,
        .rest = payload + DATAGRAM_FRONT_SIZE,
        .size = sealed->size - SEALED_OVERHEAD,
        .sent_size = sealed->size - SEALED_OVERHEAD,
        .source = sealed->source,
        .destination = sealed->destination,
        .received_ns = sealed->received_ns,
    };
    open->slot = &unsealing->slot;
    open->sender = key->name;
}

bool unseal_datagram(struct open_datagram *open, struct refusal *refusal)
{
    struct unsealing *unsealing = open->ingest->unsealing;
    const struct datagram_slot *slot = open->slot;
    struct sealed_header header;
    RULE(unsealing != NULL, "the ingest of a sealed listener can open datagrams");
    const uint8_t *datagram = in_one_piece(unsealing, slot);
    enum decode_cause cause = sealed_read(datagram, slot->size, &header);
    if (cause != CAUSE_UNKNOWN) {
        refused_for(refusal, REASON_MALFORMED);
        refusal->failure = (struct decode_failure){.cause = cause};
        return false;
    }
    const struct sender_key *key = sender_keys_find(open->ingest->listener->keys, header.key_id);
    if (key == NULL || !sender_key_is_valid(key, slot->received_ns))
        return refused_for(refusal, REASON_NO_KEY);
    if (!sealed_open(&key->seal, header.mode, datagram, slot->size,
                     unsealing->bytes + SEALED_HEADER_SIZE))
        return refused_for(refusal, REASON_FORGED);
    if (!is_new(open, key, &header, refusal))
        return false;
    hand_over(open, key);
    return true;
}
