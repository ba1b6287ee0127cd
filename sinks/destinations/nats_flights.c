#include "sinks/destinations/nats_flights.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * Bits of a record's `group`. The bits of DIVIDED are a number: the record's message was halved at
 * least this number of times.
 */
#define FOLLOWS  0x40u /* the record is in the same message as the record before it */
#define ANSWERED 0x80u
#define DIVIDED  0x3fu

#define NO_LIMIT SIZE_MAX

static bool waits(const struct delivery_record *record)
{
    return !record->done && record->outcome == DELIVERY_NOT_SENT && (record->group & ANSWERED) == 0;
}

static size_t message_end(const struct delivery_block *block, size_t record)
{
    do
        record++;
    while (record < block->count && (block->records[record].group & FOLLOWS) != 0);
    return record;
}

bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns)
{
    struct nats_flight *flight = flights->all;
    while (flight < flights->all + NATS_FLIGHTS && flight->block != NULL)
        flight++;
    if (flight == flights->all + NATS_FLIGHTS)
        return false;
    *flight = (struct nats_flight){
        .block = block,
        .order = ++flights->last_order,
        .until_ns = now_ns + flights->unsent_ns,
    };
    block->per_record = true;
    for (size_t i = 0; i < block->count; i++) {
        block->records[i].group &= block->again ? DIVIDED : 0;
        if (block->records[i].done)
            continue;
        block->records[i].outcome = DELIVERY_NOT_SENT;
        flight->waiting++;
    }
    return true;
}

/* --- limits of a message's size --------------------------------------------------------------- */

static size_t limits_known(const struct nats_flights *flights)
{
    return flights->learned < NATS_LIMITS ? flights->learned : NATS_LIMITS;
}

static size_t most_of(const struct nats_flights *flights, const char *route)
{
    size_t most = flights->most == 0 ? NO_LIMIT : flights->most;
    size_t known = limits_known(flights);
    for (const struct nats_limit *limit = flights->limits; limit < flights->limits + known; limit++)
        if (limit->most < most && flights->now_ns < limit->until_ns &&
            strcmp(limit->subject, route) == 0)
            most = limit->most;
    return most;
}

static void learn(struct nats_flights *flights, const char *route, size_t size)
{
    size_t known = limits_known(flights);
    size_t at = 0;
    while (at < known && strcmp(flights->limits[at].subject, route) != 0)
        at++;
    struct nats_limit *limit = &flights->limits[at];
    if (at == known) {
        limit = &flights->limits[flights->learned++ % NATS_LIMITS];
        snprintf(limit->subject, sizeof limit->subject, "%s", route);
    }
    if (at == known || flights->now_ns >= limit->until_ns) {
        limit->most = NO_LIMIT;
        limit->until_ns = flights->now_ns + NATS_LIMIT_LASTS_NS;
    }
    if (size <= limit->most)
        limit->most = size - 1;
}

static bool nats_range_fits(const struct delivery_block *block, const struct record_range *range,
                            unsigned divided, size_t most)
{
    if (record_range_size(block, range) > most)
        return false;
    for (size_t i = range->first; i < (size_t)range->first + range->count; i++)
        if (!waits(&block->records[i]) || block->records[i].group > divided)
            return false;
    return true;
}

/*
 * Returns the message that contains the waiting record `record`: the record, or with per_block the
 * block or a part of it. The block is halved from the beginning each time, so records that are sent
 * again are divided as before and their messages have the same IDs. Sets *divided to the number of
 * halvings.
 */
static struct record_range nats_message_with(const struct nats_flights *flights,
                                             const struct delivery_block *block, size_t record,
                                             unsigned *divided)
{
    *divided = 0;
    if (!flights->per_block)
        return (struct record_range){(uint32_t)record, 1};
    size_t most = most_of(flights, block->route);
    struct record_range range = {0, (uint32_t)block->count};
    for (; range.count > 1 && !nats_range_fits(block, &range, *divided, most); ++*divided) {
        uint32_t half = range.count / 2;
        if (record < (size_t)range.first + half) {
            range.count = half;
        } else {
            range.first += half;
            range.count -= half;
        }
    }
    return range;
}

/* --- publishing, and answers ------------------------------------------------------------------ */

bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns)
{
    struct nats_flight *next = NULL;
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS; flight++)
        if (flight->block != NULL && !flight->done && flight->waiting != 0 &&
            (next == NULL || flight->order < next->order))
            next = flight;
    if (next == NULL)
        return false;
    struct delivery_record *records = next->block->records;
    while (!waits(&records[next->at])) {
        next->at++;
        RULE(next->at < next->block->count, "a flight that counts waiting records has one");
    }
    unsigned divided;
    flights->now_ns = now_ns;
    struct record_range range = nats_message_with(flights, next->block, next->at, &divided);
    *token =
        (struct nats_token){(uint32_t)(next - flights->all), range.first, range.count, next->order};
    for (uint32_t i = 0; i < range.count; i++) {
        records[range.first + i].outcome = DELIVERY_UNKNOWN;
        records[range.first + i].group = (uint8_t)(divided | (i == 0 ? 0 : FOLLOWS));
    }
    RULE(range.first == next->at && range.count <= next->waiting,
         "a message begins with the first waiting record, and all of its records wait");
    next->at += range.count;
    next->waiting -= range.count;
    next->unanswered++;
    if (!next->published)
        next->begun_ns = now_ns;
    next->published = true;
    flights->unanswered++;
    next->until_ns = now_ns + flights->unanswered_ns;
    return true;
}

static struct nats_flight *flight_of(struct nats_flights *flights, const struct nats_token *token)
{
    if (token->flight >= NATS_FLIGHTS)
        return NULL;
    struct nats_flight *flight = &flights->all[token->flight];
    bool is_its = flight->block != NULL && !flight->done && flight->order == token->order &&
                  token->record < flight->block->count;
    return is_its ? flight : NULL;
}

struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token,
                                          struct record_range *range)
{
    const struct nats_flight *flight = flight_of((struct nats_flights *)(uintptr_t)flights, token);
    if (flight == NULL)
        return NULL;
    *range = (struct record_range){
        token->record, (uint32_t)(message_end(flight->block, token->record) - token->record)};
    return range->count == token->count ? flight->block : NULL;
}

static void nats_divide(struct nats_flights *flights, struct nats_flight *flight,
                        const struct record_range *range)
{
    struct delivery_block *block = flight->block;
    unsigned divided = 0;
    struct record_range node = {0, (uint32_t)block->count};
    while (node.first != range->first || node.count != range->count) {
        RULE(node.count > range->count, "a message is the block, or a half of a message");
        uint32_t half = node.count / 2;
        if (range->first < node.first + half) {
            node.count = half;
        } else {
            node.first += half;
            node.count -= half;
        }
        divided++;
    }
    learn(flights, block->route, record_range_size(block, range));
    for (size_t i = range->first; i < (size_t)range->first + range->count; i++) {
        block->records[i].outcome = DELIVERY_NOT_SENT;
        block->records[i].group = (uint8_t)(divided + 1);
    }
    flight->waiting += range->count;
    if (range->first < flight->at)
        flight->at = range->first;
}

enum nats_progress nats_flights_answer(struct nats_flights *flights, const struct nats_token *token,
                                       enum delivery_outcome outcome, enum delivery_reason reason,
                                       const char *why)
{
    struct record_range range;
    struct nats_flight *flight = flight_of(flights, token);
    if (flight == NULL || nats_flights_block(flights, token, &range) == NULL)
        return NATS_GOES_ON;
    struct delivery_record *first = &flight->block->records[range.first];
    if (first->done || first->outcome != DELIVERY_UNKNOWN || (first->group & FOLLOWS) != 0 ||
        outcome == DELIVERY_UNKNOWN)
        return NATS_GOES_ON;
    RULE(flight->unanswered != 0 && flights->unanswered >= flight->unanswered,
         "each message is answered once, and the sum includes every flight");
    flights->unanswered--;
    flight->unanswered--;
    if (outcome == DELIVERY_REFUSED && reason == DELIVERY_TOO_LARGE && range.count > 1) {
        nats_divide(flights, flight, &range);
        return NATS_DIVIDED;
    }
    for (struct delivery_record *i = first; i < first + range.count; i++) {
        i->outcome = (uint8_t)outcome;
        i->reason = (uint8_t)reason;
        i->group |= ANSWERED;
    }
    if (why != NULL && flight->error.text[0] == '\0')
        error_set(&flight->error, EXIT_CODE_IO, "%s", why);
    flight->done = flight->waiting == 0 && flight->unanswered == 0;
    return flight->done ? NATS_BLOCK_DONE : NATS_GOES_ON;
}

bool nats_flights_deny(struct nats_flights *flights, const char *subject, const char *why)
{
    bool any = false;
    for (uint32_t i = 0; i < NATS_FLIGHTS; i++) {
        const struct nats_flight *flight = &flights->all[i];
        if (flight->block == NULL || flight->done || strcmp(flight->block->route, subject) != 0)
            continue;
        size_t end = flight->at;
        for (uint32_t record = 0; record < end; record++) {
            size_t count = message_end(flight->block, record) - record;
            const struct nats_token token = {i, record, (uint32_t)count, flight->order};
            if (nats_flights_answer(flights, &token, DELIVERY_REFUSED, DELIVERY_DENIED, why) ==
                NATS_BLOCK_DONE)
                any = true;
        }
    }
    return any;
}

static void end_flights(struct nats_flights *flights, int64_t now_ns, const char *why)
{
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS;
         flight++) {
        if (flight->block == NULL || flight->done || flight->until_ns > now_ns)
            continue;
        RULE(flights->unanswered >= flight->unanswered, "the sum includes every flight");
        flight->done = true;
        flights->unanswered -= flight->unanswered;
        if (flight->error.text[0] == '\0')
            error_set(&flight->error, EXIT_CODE_IO, "%s",
                      !flight->published ? "there is no connection" : why);
    }
}

void nats_flights_expire(struct nats_flights *flights, int64_t now_ns)
{
    end_flights(flights, now_ns, "no answer came in time");
}

bool nats_flights_lose(struct nats_flights *flights)
{
    if (flights->unanswered == 0)
        return false;
    end_flights(flights, INT64_MAX, "the connection was lost before an answer came");
    RULE(flights->unanswered == 0, "no message of a lost connection is waited for");
    return true;
}

int64_t nats_flights_due(const struct nats_flights *flights)
{
    int64_t due = INT64_MAX;
    for (size_t i = 0; i < NATS_FLIGHTS; i++) {
        const struct nats_flight *flight = &flights->all[i];
        if (flight->block != NULL && !flight->done && flight->until_ns < due)
            due = flight->until_ns;
    }
    return due;
}

struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error)
{
    struct nats_flight *oldest = NULL;
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS; flight++)
        if (flight->done && (oldest == NULL || flight->order < oldest->order))
            oldest = flight;
    if (oldest == NULL)
        return NULL;
    struct delivery_block *block = oldest->block;
    RULE(block != NULL, "each block is taken out once");
    if (error != NULL)
        *error = oldest->error;
    flights->last_begun_ns = oldest->waiting == 0 && oldest->unanswered == 0 ? oldest->begun_ns : 0;
    *oldest = (struct nats_flight){.block = NULL};
    return block;
}
