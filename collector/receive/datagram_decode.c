#include "collector/receive/datagram_decode.h"

#include <stdint.h>
#include <string.h>

#include "collector/base/arena.h"
#include "collector/text/base64.h"
#include "collector/text/compiler.h"
#include "collector/text/json_reader.h"

struct decoding {
    struct arena *arena;
    const struct listener *listener;
    const struct datagram_slot *datagram;
    const uint8_t *data; /* the payload, in the arena */
    const char *sender;  /* the sender's name, in the arena; may be NULL */
    struct record_chain *chain;
    struct refusal *refusal;
};

/* The bytes that a schema decodes: those of a frame, or those encoded by a base64 frame. */
struct message_bytes {
    const uint8_t *data;
    size_t size;
};

/*
 * The front is copied with memmove, because gcc turns a memcpy of few bytes into rep movs, which is
 * slow to begin.
 */
static void copy_payload(uint8_t *to, const struct datagram_slot *from)
{
    size_t front = datagram_front_size(from);
    memmove(to, from->front, front);
    if (from->size > front)
        memcpy(to + front, from->rest, from->size - front);
}

static void add_to_chain(struct record_chain *chain, struct record *record)
{
    if (chain->count++ == 0)
        chain->first = record;
    else
        chain->last->next = record;
    chain->last = record;
}

/* --- why not ---------------------------------------------------------------------------------- */

static enum datagram_reason reason_of_result(enum decode_result result)
{
    switch (result) {
    case DECODE_TOO_DEEP:
        return REASON_TOO_DEEP;
    case DECODE_TOO_LARGE:
        return REASON_TOO_LARGE;
    case DECODE_MALFORMED:
    case DECODE_OK:
        break;
    }
    return REASON_MALFORMED;
}

static bool refused_by_decoder(struct refusal *refusal, enum decode_result result,
                               const struct decode_failure *failure, size_t frame_at)
{
    refusal->reason = reason_of_result(result);
    refusal->failure = *failure;
    refusal->failure.offset += frame_at;
    return false;
}

static enum datagram_reason reason_of_frame(enum frame_result result, const struct schema *schema)
{
    if (result == FRAME_CONTROL)
        return REASON_CONTROL;
    return result == FRAME_NONE && !schema->ops->accepts_empty ? REASON_EMPTY : REASON_MALFORMED;
}

static bool refused_by_framing(struct refusal *refusal, enum frame_result result,
                               const struct frames *frames, const struct schema *schema)
{
    refused_for(refusal, reason_of_frame(result, schema));
    if (refusal->reason == REASON_MALFORMED)
        refusal->failure = (struct decode_failure){.cause = frames->cause, .offset = frames->at};
    return false;
}

/* --- messages --------------------------------------------------------------------------------- */

static bool decode_base64(const struct decoding *decoding, const struct frame *frame,
                          struct message_bytes *bytes)
{
    uint8_t *decoded = arena_allocate(decoding->arena, base64_most(frame->size));
    if (decoded == NULL)
        return refused_for(decoding->refusal, REASON_TOO_LARGE);
    size_t used;
    size_t good = base64_decode((const char *)frame->data, frame->size, decoded, &used);
    *bytes = (struct message_bytes){decoded, used};
    if (good == frame->size)
        return true;
    decoding->refusal->reason = REASON_MALFORMED;
    decoding->refusal->failure = (struct decode_failure){
        .cause = CAUSE_NOT_BASE64, .offset = (size_t)(frame->data - decoding->data) + good};
    return false;
}

/*
 * Refuses a frame. The offset of a fault in decoded base64 is converted to the offset of the
 * characters that encode it.
 */
static bool refused_in_frame(const struct decoding *decoding, const struct frame *frame,
                             enum decode_result result, struct decode_failure *failure)
{
    if (frame->is_base64)
        failure->offset = failure->offset / 3 * 4;
    else if (result == DECODE_MALFORMED && json_begins((const char *)frame->data, frame->size))
        *failure = (struct decode_failure){.cause = CAUSE_JSON};
    return refused_by_decoder(decoding->refusal, result, failure,
                              (size_t)(frame->data - decoding->data));
}

/* Decodes one message into `record`, which is NULL if the arena had no room for it. */
static ALWAYS_INLINE bool decode_message(const struct decoding *decoding,
                                         const struct schema *schema, const struct frame *frame,
                                         struct record *record)
{
    struct record_chain *chain = decoding->chain;
    const struct datagram_slot *datagram = decoding->datagram;
    struct decoded decoded;
    struct message_bytes bytes = {frame->data, frame->size};
    if (frame->size == 0 && !schema->ops->accepts_empty)
        return refused_for(decoding->refusal, REASON_EMPTY);
    if (record == NULL)
        return refused_for(decoding->refusal, REASON_TOO_LARGE);
    if (frame->is_base64 && !decode_base64(decoding, frame, &bytes))
        return false;
    enum decode_result result =
        schema->ops->decode(schema, bytes.data, bytes.size, decoding->arena, &decoded);
    if (result != DECODE_OK)
        return refused_in_frame(decoding, frame, result, &decoded.failure);
    /* Sets every field. Otherwise the compiler would first clear the whole record. */
    *record = (struct record){.next = NULL,
                              .listener = decoding->listener,
                              .schema = schema,
                              .message = decoded.message,
                              .data = bytes.data,
                              .packet = chain->packet,
                              .size = (uint32_t)bytes.size,
                              .sampling = frame->sampling,
                              .sender = decoding->sender,
                              .source = datagram->source,
                              .received_ns = datagram->received_ns};
    chain->packet = NULL;
    chain->is_numbered = frame->is_numbered;
    if (frame->is_numbered)
        chain->number = frame->number;
    add_to_chain(chain, record);
    chain->unknown_fields += decoded.unknown_fields;
    if (decoded.series_repeated != 0 && chain->series_repeated == 0)
        chain->repeated_name = decoded.repeated_name;
    chain->series_repeated += decoded.series_repeated;
    return true;
}

/* Decodes a datagram that is one message without a framing, as most datagrams are. */
static bool decode_only_message(const struct decoding *decoding, const struct schema_entry *entry,
                                struct record *record)
{
    const struct frame frame = {.data = decoding->data + entry->header,
                                .size = decoding->datagram->size - entry->header};
    return decode_message(decoding, entry->schema, &frame, record);
}

/* Decodes all messages of a datagram with a framing. `record` is memory for the first message. */
static NEVER_INLINE bool decode_messages(const struct decoding *decoding,
                                         const struct schema_entry *entry, struct record *record)
{
    struct frames frames;
    struct frame frame;
    enum frame_result result;
    frames_begin(&frames, entry->framing, entry->header, decoding->data, decoding->datagram->size);
    while ((result = frames_next(&frames, &frame)) == FRAME_MESSAGE) {
        if (decoding->chain->count != 0)
            record = arena_allocate(decoding->arena, sizeof *record);
        if (!decode_message(decoding, entry->schema, &frame, record))
            return false;
    }
    return result == FRAME_END ||
           refused_by_framing(decoding->refusal, result, &frames, entry->schema);
}

static bool keep_packet(const struct decoding *decoding)
{
    const struct datagram_slot *datagram = decoding->datagram;
    if (!decoding->listener->keeps_packets)
        return true;
    struct packet *packet = arena_allocate(decoding->arena, sizeof *packet);
    if (packet == NULL)
        return false;
    *packet = (struct packet){
        .data = decoding->data, .size = datagram->size, .destination = *datagram->destination};
    decoding->chain->packet = packet;
    return true;
}

/*
 * Decodes at most max_decoded bytes, even if the arena has more room. With `retried`, a failure
 * because the arena is too small is not final: the caller will decode the datagram again in a
 * larger one.
 */
static bool decode_limited(const struct decoding *decoding, const struct schema_entry *entry,
                           struct record *record, bool retried)
{
    struct arena *arena = decoding->arena;
    size_t capacity = arena->capacity;
    size_t max_decoded = decoding->listener->max_decoded;
    decoding->refusal->limited = capacity - arena->used >= max_decoded;
    if (decoding->refusal->limited)
        arena->capacity = arena->used + max_decoded;
    arena->retried = retried && !decoding->refusal->limited;
    bool is_message =
        entry->framing == FRAMING_DATAGRAM && entry->header <= decoding->datagram->size;
    bool done = is_message ? decode_only_message(decoding, entry, record)
                           : decode_messages(decoding, entry, record);
    arena->capacity = capacity;
    arena->retried = false;
    return done;
}

bool datagram_decode(struct batch *batch, const struct listener *listener,
                     const struct schema_entry *entry, const struct datagram_slot *datagram,
                     const char *sender, struct record_chain *chain, struct refusal *refusal)
{
    struct arena *arena = &batch->arena;
    size_t start = arena->used;
    bool done = false;
    *chain = (struct record_chain){0};
    size_t name = sender == NULL ? 0 : strlen(sender) + 1;
    struct record *record = arena_allocate(arena, sizeof *record + datagram->size + name);
    uint8_t *data = record == NULL ? NULL : (uint8_t *)(record + 1);
    char *copy = name == 0 || data == NULL ? NULL : (char *)data + datagram->size;
    const struct decoding decoding = {arena, listener, datagram, data, copy, chain, refusal};
    if (record != NULL && keep_packet(&decoding)) {
        copy_payload(data, datagram);
        if (copy != NULL)
            memcpy(copy, sender, name);
        done = decode_limited(&decoding, entry, record, !batch_is_largest(batch));
    } else {
        refusal->limited = false;
        refused_for(refusal, REASON_TOO_LARGE);
    }
    arena->exhausted = false;
    if (!done)
        arena->used = start;
    return done;
}

struct record *datagram_keep_raw(struct batch *batch, const struct listener *listener,
                                 const struct datagram_slot *datagram)
{
    struct arena *arena = &batch->arena;
    size_t start = arena->used;
    struct record *record = arena_allocate(arena, sizeof *record);
    struct packet *packet = arena_allocate(arena, sizeof *packet);
    uint8_t *data = arena_allocate(arena, datagram->size);
    if (record == NULL || packet == NULL || data == NULL) {
        arena->exhausted = false;
        arena->used = start;
        return NULL;
    }
    copy_payload(data, datagram);
    *packet = (struct packet){
        .data = data, .size = datagram->size, .destination = *datagram->destination};
    *record = (struct record){.listener = listener,
                              .data = data,
                              .packet = packet,
                              .size = datagram->size,
                              .source = datagram->source,
                              .received_ns = datagram->received_ns};
    return record;
}
