#include "collector/receive/assembly.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/siphash.h"
#include "collector/platform/machine.h"

#define BLOCK_SIZE ((size_t)2048)

/*
 * The upper limit of a datagram in bytes. A datagram that is given up is first copied into one
 * piece, in `scratch`.
 */
#define LONGEST_DATAGRAM ((size_t)64 * 1024)

/* A block of memory for the part of a segment that does not fit into its first block. */
struct block {
    struct block *next;
    uint8_t bytes[BLOCK_SIZE - sizeof(struct block *)];
};

/*
 * Entries for messages per block. A waiting message has at least one block, so at least half of the
 * entries are left for ended messages.
 */
#define MESSAGES_FOR_BLOCK 2

/* A segment: this header is at the beginning of its first block. */
struct segment {
    struct segment *next; /* the next buffered segment in the order of numbers */
    struct block *rest;
    int64_t received_ns;
    struct address source, destination;
    uint32_t size;
    uint16_t number;
    uint16_t body; /* offset in the datagram of its part of the message */
    uint8_t bytes[];
};
#define SEGMENT_ROOM (BLOCK_SIZE - sizeof(struct segment))
_Static_assert(sizeof(struct segment) <= BLOCK_SIZE / 4, "a small datagram fits its first block");

struct message {
    struct message *newer, *older;
    struct message *next_in_bucket;
    uint64_t fingerprint[2];
    int64_t begun_ns; /* arrival of its first segment; for an ended message, the time of its end */
    enum datagram_reason reason; /* for an ended message: the reason for which further segments of
                                  * it are refused */
    enum decode_cause cause;
    struct segment *first, *last;
    size_t segments, size; /* number of buffered datagrams, and the message's bytes in them */
    uint32_t total;        /* number of segments of the message; 0 until the last segment arrives */
    bool has_destination;
    bool is_waiting;
};

struct message_list {
    struct message *oldest, *newest;
};

struct assembly {
    struct assembly_options options;
    uint8_t secret[16];
    size_t longest;
    size_t blocks;
    size_t messages; /* number of entries for messages, and of buckets */
    int64_t now_ns;  /* the latest time that a datagram or a caller has reported */
    uint8_t *memory;
    struct message **buckets;
    uint8_t *scratch; /* buffer for a complete message, or for a datagram that is given up */
    struct block *free_blocks;
    struct message *free_messages; /* linked by `newer` */
    struct message_list waiting, ended;
    struct message *whole;
    size_t buffered;
};

/* --- lifecycle -------------------------------------------------------------------------------- */

size_t assembly_memory(size_t memory)
{
    return sizeof(struct assembly) + memory;
}

static size_t scratch_size(const struct assembly_options *options)
{
    size_t longest =
        options->longest < options->memory / 4 ? options->longest : options->memory / 4;
    return longest > LONGEST_DATAGRAM ? longest : LONGEST_DATAGRAM;
}

static void divide_memory(struct assembly *assembly, size_t scratch)
{
    uint8_t *at = assembly->memory;
    struct block *blocks = (void *)at;
    struct message *messages = (void *)(at + assembly->blocks * sizeof *blocks);
    assembly->buckets = (void *)(messages + assembly->messages);
    assembly->scratch = (void *)(assembly->buckets + assembly->messages);
    assembly->longest = assembly->options.longest < scratch ? assembly->options.longest : scratch;
    for (size_t i = assembly->blocks; i-- != 0;) {
        blocks[i].next = assembly->free_blocks;
        assembly->free_blocks = &blocks[i];
    }
    for (size_t i = assembly->messages; i-- != 0;) {
        messages[i].newer = assembly->free_messages;
        assembly->free_messages = &messages[i];
    }
}

int assembly_create(struct assembly **out, const struct assembly_options *options,
                    struct error *error)
{
    size_t scratch = scratch_size(options);
    size_t each = sizeof(struct block) +
                  MESSAGES_FOR_BLOCK * (sizeof(struct message) + sizeof(struct message *));
    struct assembly *assembly = calloc(1, sizeof *assembly);
    uint8_t *memory = calloc(1, options->memory);
    if (assembly == NULL || memory == NULL) {
        free(assembly);
        free(memory);
        return error_no_memory(error);
    }
    *assembly = (struct assembly){
        .options = *options, .memory = memory, .blocks = (options->memory - scratch) / each};
    assembly->messages = MESSAGES_FOR_BLOCK * assembly->blocks;
    divide_memory(assembly, scratch);
    if (random_bytes(assembly->secret, sizeof assembly->secret, error) != 0) {
        assembly_destroy(assembly);
        return -1;
    }
    *out = assembly;
    return 0;
}

void assembly_destroy(struct assembly *assembly)
{
    if (assembly == NULL)
        return;
    RULE(assembly->buffered == 0, "an assembly ends when nothing is buffered");
    free(assembly->memory);
    free(assembly);
}

size_t assembly_buffered(const struct assembly *assembly)
{
    return assembly->buffered;
}

/* --- messages --------------------------------------------------------------------------------- */

static void list_add(struct message_list *list, struct message *message)
{
    message->newer = NULL;
    message->older = list->newest;
    if (list->newest == NULL)
        list->oldest = message;
    else
        list->newest->newer = message;
    list->newest = message;
}

static void list_remove(struct message_list *list, struct message *message)
{
    if (message->older == NULL)
        list->oldest = message->newer;
    else
        message->older->newer = message->newer;
    if (message->newer == NULL)
        list->newest = message->older;
    else
        message->newer->older = message->older;
}

/*
 * Hashes the sender and the message's number. The port is included, because a publisher may send
 * from several ports and numbers its messages for each port separately.
 */
static void fingerprint_of(const struct assembly *assembly, const struct address *source,
                           const struct udp_notif *header, uint64_t fingerprint[2])
{
    struct siphash hash;
    siphash_begin(&hash, assembly->secret);
    siphash_feed(&hash, source->bytes, sizeof source->bytes);
    siphash_feed(&hash, &source->scope, sizeof source->scope);
    siphash_feed(&hash, &source->family, sizeof source->family);
    siphash_feed(&hash, &source->port, sizeof source->port);
    siphash_feed(&hash, &header->publisher, sizeof header->publisher);
    siphash_feed(&hash, &header->message, sizeof header->message);
    siphash_end(&hash, fingerprint);
}

static struct message **message_bucket(struct assembly *assembly, const uint64_t fingerprint[2])
{
    return &assembly->buckets[fingerprint[0] % assembly->messages];
}

static struct message *find_message(struct assembly *assembly, const uint64_t fingerprint[2])
{
    struct message *message = *message_bucket(assembly, fingerprint);
    while (message != NULL &&
           memcmp(message->fingerprint, fingerprint, sizeof message->fingerprint) != 0)
        message = message->next_in_bucket;
    return message;
}

static void forget_message(struct assembly *assembly, struct message *message)
{
    RULE(!message->is_waiting && message->first == NULL, "a message ends before it is forgotten");
    struct message **link = message_bucket(assembly, message->fingerprint);
    while (*link != message)
        link = &(*link)->next_in_bucket;
    *link = message->next_in_bucket;
    list_remove(&assembly->ended, message);
    message->newer = assembly->free_messages;
    assembly->free_messages = message;
}

/* --- segments --------------------------------------------------------------------------------- */

static void copy_out(const struct segment *segment, size_t from, size_t size, uint8_t *to)
{
    const uint8_t *bytes = segment->bytes;
    size_t room = SEGMENT_ROOM;
    const struct block *next = segment->rest;
    while (size != 0) {
        size_t part = from < room ? room - from : 0;
        part = part < size ? part : size;
        memcpy(to, bytes + (from < room ? from : 0), part);
        to += part;
        size -= part;
        from = from < room ? 0 : from - room;
        if (size == 0 || next == NULL)
            return;
        bytes = next->bytes;
        room = sizeof next->bytes;
        next = next->next;
    }
}

static void copy_in(struct segment *segment, const struct datagram_slot *datagram)
{
    uint8_t *bytes = segment->bytes;
    size_t room = SEGMENT_ROOM;
    struct block *next = segment->rest;
    size_t front = datagram_front_size(datagram);
    for (size_t at = 0; at != datagram->size;) {
        const uint8_t *from = at < front ? datagram->front + at : datagram->rest + (at - front);
        size_t part = at < front ? front - at : datagram->size - at;
        part = part < room ? part : room;
        memcpy(bytes, from, part);
        at += part;
        bytes += part;
        room -= part;
        if (room != 0 || at == datagram->size)
            continue;
        bytes = next->bytes;
        room = sizeof next->bytes;
        next = next->next;
    }
}

static void free_segment(struct assembly *assembly, struct segment *segment)
{
    RULE(assembly->buffered != 0, "a segment that is freed was counted");
    struct block *first = (void *)segment;
    first->next = segment->rest;
    struct block *last = first;
    while (last->next != NULL)
        last = last->next;
    last->next = assembly->free_blocks;
    assembly->free_blocks = first;
    assembly->buffered--;
}

static size_t blocks_for(size_t size)
{
    size_t more = size > SEGMENT_ROOM ? size - SEGMENT_ROOM : 0;
    size_t each = sizeof((struct block *)NULL)->bytes;
    return 1 + (more + each - 1) / each;
}

static bool has_free(const struct assembly *assembly, size_t count)
{
    const struct block *block = assembly->free_blocks;
    while (count != 0 && block != NULL) {
        block = block->next;
        count--;
    }
    return count == 0;
}

/* Takes `count` blocks, at least 1, which must be free. */
static struct block *take_blocks(struct assembly *assembly, size_t count)
{
    struct block *first = assembly->free_blocks;
    struct block *last = first;
    while (--count != 0)
        last = last->next;
    assembly->free_blocks = last->next;
    last->next = NULL;
    return first;
}

/* --- the end of a message --------------------------------------------------------------------- */

static void give_up_segment(struct assembly *assembly, const struct message *message,
                            const struct segment *segment, const struct refusal *refusal)
{
    uint8_t *bytes = assembly->scratch;
    copy_out(segment, 0, segment->size, bytes);
    const struct datagram_slot datagram = {
        .front = bytes,
        .rest = segment->size > DATAGRAM_FRONT_SIZE ? bytes + DATAGRAM_FRONT_SIZE : NULL,
        .size = segment->size,
        .sent_size = segment->size,
        .source = segment->source,
        .destination = message->has_destination ? &segment->destination : NULL,
        .received_ns = segment->received_ns,
    };
    assembly->options.give_up(assembly->options.context, &datagram, refusal);
}

/* Ends a waiting message and remembers it. If `refusal` is not NULL, its segments are given up. */
static void end_message(struct assembly *assembly, struct message *message,
                        const struct refusal *refusal)
{
    RULE(message->is_waiting, "a message ends once");
    for (struct segment *segment = message->first, *next; segment != NULL; segment = next) {
        next = segment->next;
        if (refusal != NULL)
            give_up_segment(assembly, message, segment, refusal);
        free_segment(assembly, segment);
    }
    list_remove(&assembly->waiting, message);
    list_add(&assembly->ended, message);
    message->begun_ns = assembly->now_ns;
    message->first = message->last = NULL;
    message->is_waiting = false;
    message->reason = refusal != NULL ? refusal->reason : REASON_SEGMENT_REPEATED;
    message->cause = refusal != NULL ? refusal->failure.cause : CAUSE_UNKNOWN;
}

static void end_for(struct assembly *assembly, struct message *message, enum datagram_reason reason)
{
    struct refusal refusal = {.limited = false};
    refused_for(&refusal, reason);
    end_message(assembly, message, &refusal);
}

/*
 * Returns true if the message is late. If the clock was set back, the message's time begins again.
 * The difference is unsigned because times of a capture may differ by more than INT64_MAX.
 */
static bool is_late(const struct assembly *assembly, struct message *message, int64_t now_ns)
{
    if (message->begun_ns > now_ns)
        message->begun_ns = now_ns;
    return (uint64_t)now_ns - (uint64_t)message->begun_ns >= (uint64_t)assembly->options.timeout_ns;
}

static int64_t due_of(const struct assembly *assembly, const struct message *message)
{
    int64_t most_ns = INT64_MAX - assembly->options.timeout_ns;
    return message->begun_ns > most_ns ? INT64_MAX
                                       : message->begun_ns + assembly->options.timeout_ns;
}

int64_t assembly_expire(struct assembly *assembly, int64_t now_ns)
{
    struct message *message;
    assembly->now_ns = now_ns;
    while ((message = assembly->ended.oldest) != NULL && is_late(assembly, message, now_ns))
        forget_message(assembly, message);
    while ((message = assembly->waiting.oldest) != NULL && is_late(assembly, message, now_ns))
        end_for(assembly, message, REASON_SEGMENTS_MISSING);
    return message == NULL ? INT64_MAX : due_of(assembly, message);
}

void assembly_finish(struct assembly *assembly)
{
    while (assembly->waiting.oldest != NULL)
        end_for(assembly, assembly->waiting.oldest, REASON_SEGMENTS_MISSING);
    while (assembly->ended.oldest != NULL)
        forget_message(assembly, assembly->ended.oldest);
}

/* --- taking ----------------------------------------------------------------------------------- */

/*
 * Begins a message in a free entry. Without a free entry it reuses that of the oldest ended
 * message. If no message has ended, it first gives up the oldest waiting message.
 */
static struct message *begin_message(struct assembly *assembly, const uint64_t fingerprint[2],
                                     const struct datagram_slot *datagram)
{
    if (assembly->free_messages == NULL && assembly->ended.oldest == NULL)
        end_for(assembly, assembly->waiting.oldest, REASON_ASSEMBLY_FULL);
    if (assembly->free_messages == NULL)
        forget_message(assembly, assembly->ended.oldest);
    struct message *message = assembly->free_messages;
    assembly->free_messages = message->newer;
    struct message **bucket = message_bucket(assembly, fingerprint);
    *message = (struct message){.begun_ns = datagram->received_ns,
                                .next_in_bucket = *bucket,
                                .fingerprint = {fingerprint[0], fingerprint[1]},
                                .has_destination = datagram->destination != NULL,
                                .is_waiting = true};
    *bucket = message;
    list_add(&assembly->waiting, message);
    return message;
}

/*
 * Finds the buffered segment that precedes segment `number`; *after is NULL if it is the first.
 * Returns false if segment `number` is already buffered.
 */
static bool find_position(const struct message *message, uint16_t number, struct segment **after)
{
    *after = NULL;
    if (message->last != NULL && message->last->number < number) {
        *after = message->last;
        return true;
    }
    for (struct segment *each = message->first; each != NULL && each->number <= number;
         each = each->next) {
        if (each->number == number)
            return false;
        *after = each;
    }
    return true;
}

static bool contradicts(const struct message *message, const struct udp_notif *header)
{
    if (message->total != 0)
        return header->number >= message->total ||
               header->is_last != (header->number + 1u == message->total);
    return header->is_last && message->last != NULL && message->last->number > header->number;
}

/*
 * Gives up waiting messages, the oldest first, until enough blocks are free. Gives up `message`
 * only if no other message waits. Returns false if `message` was given up.
 */
static bool make_segment_room(struct assembly *assembly, const struct message *message,
                              size_t blocks)
{
    while (!has_free(assembly, blocks)) {
        struct message *oldest = assembly->waiting.oldest;
        if (oldest == message && oldest->newer != NULL)
            oldest = oldest->newer;
        end_for(assembly, oldest, REASON_ASSEMBLY_FULL);
        if (oldest == message)
            return false;
    }
    return true;
}

static void insert_segment(struct assembly *assembly, struct message *message,
                           struct segment *after, const struct datagram_slot *datagram,
                           const struct udp_notif *header)
{
    struct block *blocks = take_blocks(assembly, blocks_for(datagram->size));
    struct block *rest = blocks->next;
    struct segment *segment = (void *)blocks;
    *segment = (struct segment){.next = after != NULL ? after->next : message->first,
                                .rest = rest,
                                .received_ns = datagram->received_ns,
                                .source = datagram->source,
                                .size = datagram->size,
                                .number = header->number,
                                .body = (uint16_t)header->body};
    if (datagram->destination != NULL)
        segment->destination = *datagram->destination;
    RULE(segment->next == NULL || segment->number < segment->next->number,
         "segments are in the order of their numbers");
    copy_in(segment, datagram);
    if (after != NULL)
        after->next = segment;
    else
        message->first = segment;
    if (segment->next == NULL)
        message->last = segment;
    message->segments++;
    message->size += datagram->size - header->body;
    if (header->is_last)
        message->total = header->number + 1u;
    assembly->buffered++;
}

static enum assembly_result refuse_segment(struct refusal *refusal, enum datagram_reason reason)
{
    refused_for(refusal, reason);
    return ASSEMBLY_REFUSED;
}

static enum assembly_result refuse_message(struct assembly *assembly, struct message *message,
                                           enum datagram_reason reason, enum decode_cause cause,
                                           struct refusal *refusal)
{
    *refusal = (struct refusal){.reason = reason, .failure = {.cause = cause}};
    end_message(assembly, message, refusal);
    return ASSEMBLY_REFUSED;
}

static bool message_is_too_large(const struct assembly *assembly, const struct message *message,
                                 const struct datagram_slot *datagram,
                                 const struct udp_notif *header)
{
    return header->number >= ASSEMBLY_SEGMENTS ||
           message->size + (datagram->size - header->body) > assembly->longest;
}

static enum assembly_result add_segment(struct assembly *assembly, struct message *message,
                                        const struct datagram_slot *datagram,
                                        const struct udp_notif *header, struct refusal *refusal)
{
    struct segment *after;
    if (!find_position(message, header->number, &after))
        return refuse_segment(refusal, REASON_SEGMENT_REPEATED);
    if (contradicts(message, header))
        return refuse_message(assembly, message, REASON_MALFORMED, CAUSE_SEGMENTS, refusal);
    if (message_is_too_large(assembly, message, datagram, header))
        return refuse_message(assembly, message, REASON_TOO_LARGE, CAUSE_UNKNOWN, refusal);
    if (!make_segment_room(assembly, message, blocks_for(datagram->size)))
        return refuse_segment(refusal, REASON_ASSEMBLY_FULL);
    insert_segment(assembly, message, after, datagram, header);
    if (message->segments != message->total)
        return ASSEMBLY_BUFFERED;
    assembly->whole = message;
    return ASSEMBLY_WHOLE;
}

enum assembly_result assembly_take(struct assembly *assembly, const struct datagram_slot *datagram,
                                   const struct udp_notif *header, struct refusal *refusal)
{
    uint64_t fingerprint[2];
    RULE(assembly->whole == NULL, "a complete message ends before the next datagram is taken");
    assembly_expire(assembly, datagram->received_ns);
    fingerprint_of(assembly, &datagram->source, header, fingerprint);
    struct message *message = find_message(assembly, fingerprint);
    if (message == NULL)
        message = begin_message(assembly, fingerprint, datagram);
    if (!message->is_waiting) {
        *refusal = (struct refusal){.reason = message->reason, .failure.cause = message->cause};
        return ASSEMBLY_REFUSED;
    }
    return add_segment(assembly, message, datagram, header, refusal);
}

/* --- complete messages ------------------------------------------------------------------------ */

struct assembled assembly_message(struct assembly *assembly)
{
    const struct message *message = assembly->whole;
    size_t size = 0;
    for (const struct segment *segment = message->first; segment != NULL; segment = segment->next) {
        copy_out(segment, segment->body, segment->size - segment->body, assembly->scratch + size);
        size += segment->size - segment->body;
    }
    RULE(size == message->size && size <= assembly->longest,
         "a complete message has the bytes of its segments");
    return (struct assembled){assembly->scratch, size, message->segments};
}

void assembly_end(struct assembly *assembly, const struct refusal *refusal)
{
    RULE(assembly->whole != NULL, "a complete message ends once");
    end_message(assembly, assembly->whole, refusal);
    assembly->whole = NULL;
}
