#include "collector/receive/segments.h"

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/receive/refusals.h"

/*
 * Sets the counter in_assembly to the number of buffered segments minus `less`. A segment enters
 * in_assembly after it is counted as received, and leaves it before it is counted as refused or
 * decoded.
 */
static void count_buffered(struct ingest *ingest, size_t less)
{
    counter_set(&ingest->counters->in_assembly, assembly_buffered(ingest->assembly) - less);
}

/* Refuses one segment. The assembly still counts it as buffered, so it is subtracted. */
static void give_up_segment(void *context, const struct datagram_slot *slot,
                            const struct refusal *refusal)
{
    struct ingest *ingest = context;
    RULE(ingest->in_hand != NULL, "a segment is given up while a datagram is handled");
    count_buffered(ingest, 1);
    refuse_datagram(ingest->in_hand, slot, refusal, NULL);
}

bool segments_create(struct ingest *ingest)
{
    const struct listener *listener = ingest->listener;
    struct error error;
    const struct assembly_options options = {
        .memory = listener->segment_memory,
        .longest = listener->max_decoded,
        .timeout_ns = listener->segment_timeout_ns,
        .give_up = give_up_segment,
        .context = ingest,
    };
    return listener->segment_memory == 0 ||
           assembly_create(&ingest->assembly, &options, &error) == 0;
}

/* Decodes the complete message. The batch may have changed since the last segment was admitted. */
static bool decode_whole(struct open_datagram *open, const struct datagram_slot *whole,
                         struct record_chain *chain, struct refusal *refusal)
{
    bool is_ready = open_datagram_is_ready(open, refusal);
    while (is_ready) {
        struct schema_entry bare = *open->entry;
        bare.framing = FRAMING_DATAGRAM;
        if (datagram_decode(open->batch, open->ingest->listener, &bare, whole, open->sender, chain,
                            refusal))
            return true;
        is_ready = open_datagram_has_more_room(open, refusal);
    }
    return false;
}

static void take_whole(struct open_datagram *open, const struct udp_notif *header)
{
    struct ingest *ingest = open->ingest;
    struct refusal refusal;
    struct record_chain chain;
    struct assembled message = assembly_message(ingest->assembly);
    const struct datagram_slot whole = {
        .front = message.data,
        .rest = message.data + DATAGRAM_FRONT_SIZE,
        .size = (uint32_t)message.size,
        .sent_size = (uint32_t)message.size,
        .source = open->slot->source,
        .destination = open->slot->destination,
        .received_ns = open->slot->received_ns,
    };
    bool done = decode_whole(open, &whole, &chain, &refusal);
    assembly_end(ingest->assembly, done ? NULL : &refusal);
    count_buffered(ingest, 0);
    if (!done)
        return;
    chain.is_numbered = true;
    chain.number = (struct frame_number){header->publisher, header->message};
    open_datagram_append(open, &chain, message.segments);
}

bool segments_take(struct open_datagram *open)
{
    struct ingest *ingest = open->ingest;
    const struct datagram_slot *slot = open->slot;
    struct udp_notif header;
    struct refusal refusal;
    if (open->entry->framing != FRAMING_UDP_NOTIF ||
        udp_notif_read(slot->front, datagram_front_size(slot), slot->size, &header) !=
            CAUSE_UNKNOWN ||
        !header.is_segment)
        return false;
    enum assembly_result result = ASSEMBLY_REFUSED;
    refused_for(&refusal, REASON_ASSEMBLY_FULL); /* without an assembly: no schema had segments when
                                                    the listener started */
    if (ingest->assembly != NULL)
        result = assembly_take(ingest->assembly, slot, &header, &refusal);
    if (result == ASSEMBLY_REFUSED)
        refuse_datagram(open, slot, &refusal, open_datagram_schema(open));
    else if (result == ASSEMBLY_BUFFERED)
        count_buffered(ingest, 0);
    else
        take_whole(open, &header);
    return true;
}

/*
 * Gives up late messages, except in a thread that reads a capture (`lossless`): there the time
 * comes from the capture's datagrams and not from the clock.
 */
int64_t segments_expire(struct ingest *ingest, int64_t now_ns)
{
    if (ingest->assembly == NULL || assembly_buffered(ingest->assembly) == 0 ||
        ingest->thread->lossless)
        return INT64_MAX;
    struct open_datagram none;
    int64_t wall_ns = clock_wall_ns();
    open_datagram_begin(&none, ingest, NULL);
    int64_t due_ns = assembly_expire(ingest->assembly, wall_ns);
    open_datagram_end(&none);
    return due_ns == INT64_MAX ? due_ns : now_ns + (due_ns - wall_ns);
}

void segments_finish(struct ingest *ingest)
{
    struct open_datagram none;
    if (ingest->assembly == NULL)
        return;
    open_datagram_begin(&none, ingest, NULL);
    assembly_finish(ingest->assembly);
    open_datagram_end(&none);
}
