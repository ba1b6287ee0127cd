#include "sinks/destinations/kafka_flights.h"

#include "collector/base/rule.h"
#include "collector/platform/clock.h"

/* Values of a record's `outcome` while it has no outcome. */
#define WAITS  UINT8_MAX       /* the record must be handed over to the library */
#define PART   (UINT8_MAX - 1) /* the record is in the same message as the record before it */
#define HANDED (UINT8_MAX - 2) /* the record is the first of a message that the library has */

#define TOKEN_RECORDS (UINT32_MAX / KAFKA_FLIGHTS)

/*
 * Returns the flight's order as the upper half of a token. Returns 0 if pointers have only 32 bits.
 */
static uintptr_t order_bits(const struct kafka_flight *flight)
{
    return (uintptr_t)flight->order << 16 << 16;
}

/*
 * Returns the token of a message, which its report contains: order and index of the flight, and
 * first record.
 */
static void *token_of(const struct kafka_flights *flights, size_t at, size_t record)
{
    RULE(record < TOKEN_RECORDS, "the number of a record fits into a token");
    return (void *)(order_bits(&flights->all[at]) | (record * KAFKA_FLIGHTS + at));
}

static struct kafka_flight *flight_of(struct kafka_flights *flights, const void *token)
{
    return &flights->all[(uintptr_t)token % KAFKA_FLIGHTS];
}

static size_t record_of(const void *token)
{
    return (uint32_t)(uintptr_t)token / KAFKA_FLIGHTS;
}

/* Returns false if the message was reported before or its flight was abandoned. */
static bool is_unreported(const struct kafka_flight *flight, const void *token)
{
    size_t record = record_of(token);
    return flight->block != NULL && flight->unreported != 0 &&
           ((uintptr_t)token & ~(uintptr_t)UINT32_MAX) == order_bits(flight) &&
           record < flight->block->count && flight->block->records[record].outcome == HANDED;
}

static void note_done(struct kafka_flights *flights, struct kafka_flight *flight)
{
    RULE(flight->open && flight->block != NULL, "each block is done once");
    RULE(flight->waiting == 0 && flight->unreported == 0,
         "no message of a block that is done waits or is with the library");
    RULE(flights->done_count < KAFKA_FLIGHTS, "no more blocks are done than there can be");
    flight->open = false;
    flights->done[(flights->done_at + flights->done_count++) % KAFKA_FLIGHTS] =
        (size_t)(flight - flights->all);
}

static void note_unreported(struct kafka_flights *flights, size_t count)
{
    flights->unreported = count;
    delivery_figure_set(flights->figures, FIGURE_MESSAGES, count);
}

static size_t message_end(const struct delivery_block *block, size_t record)
{
    do
        record++;
    while (record < block->count && block->records[record].outcome == PART);
    return record;
}

static void set_outcomes(struct kafka_flight *flight, size_t first, size_t end, uint8_t outcome,
                         uint8_t reason)
{
    for (size_t i = first; i < end; i++) {
        if (flight->block->records[i].done)
            continue;
        flight->block->records[i].outcome = outcome;
        flight->block->records[i].reason = reason;
    }
}

static void set_why(struct kafka_flight *flight, const char *why)
{
    if (flight->error.text[0] == '\0')
        error_set(&flight->error, EXIT_CODE_IO, "%s", why);
}

/* --- blocks from the writer ------------------------------------------------------------------- */

bool kafka_flights_put(struct kafka_flights *flights, struct delivery_block *block,
                       int64_t until_ns)
{
    size_t at = 0;
    while (at < flights->most && flights->all[at].block != NULL)
        at++;
    if (at == flights->most)
        return false;
    struct kafka_flight *flight = &flights->all[at];
    *flight = (struct kafka_flight){
        .block = block, .open = true, .order = ++flights->last_order, .until_ns = until_ns};
    block->per_record = true;
    set_outcomes(flight, 0, block->count, WAITS, 0);
    for (size_t i = 0; i < block->count; i++)
        flight->waiting += !block->records[i].done;
    return true;
}

size_t kafka_flights_first_waiting(const struct kafka_flights *flights)
{
    size_t first = KAFKA_FLIGHTS;
    for (size_t i = 0; i < flights->most; i++) {
        const struct kafka_flight *flight = &flights->all[i];
        if (flight->open && flight->waiting != 0 && flight->unreported == 0 &&
            (first == KAFKA_FLIGHTS || flight->order < flights->all[first].order))
            first = i;
    }
    return first;
}

struct delivery_block *kafka_flights_take(struct kafka_flights *flights, struct error *error)
{
    if (flights->done_count == 0)
        return NULL;
    struct kafka_flight *flight = &flights->all[flights->done[flights->done_at]];
    flights->done_at = (flights->done_at + 1) % KAFKA_FLIGHTS;
    flights->done_count--;
    struct delivery_block *block = flight->block;
    RULE(block != NULL && !flight->open, "a block is taken out once, when it is done");
    if (error != NULL)
        *error = flight->error;
    flight->block = NULL;
    return block;
}

/* --- messages for the library ----------------------------------------------------------------- */

/*
 * Until kafka_flights_end, `unreported` counts one message too many, so that the flight does not
 * count as done during the handing over.
 */
void kafka_flights_begin(struct kafka_flights *flights, size_t at)
{
    struct kafka_flight *flight = &flights->all[at];
    RULE(flight->open && flight->waiting != 0 && flight->unreported == 0,
         "a block is handed over while all of its messages wait");
    if (flights->handed++ == 0)
        flights->group_messages = flights->group_bytes = 0;
    flight->unreported = 1;
    flight->messages = flight->bytes = 0;
    flight->handed_ns = clock_monotonic_ns();
}

static void extend(const struct delivery_block *block, size_t most, struct record_range *range)
{
    while (range->first + range->count < block->count) {
        const struct delivery_record *next = &block->records[range->first + range->count];
        if (next->done || next->outcome != WAITS)
            return;
        range->count++;
        if (record_range_size(block, range) > most) {
            range->count--;
            return;
        }
    }
}

bool kafka_flights_next(struct kafka_flights *flights, size_t at, size_t *from, size_t most,
                        struct record_range *range, void **token)
{
    struct kafka_flight *flight = &flights->all[at];
    struct delivery_block *block = flight->block;
    size_t first = *from;
    RULE(flight->unreported != 0, "messages are only handed over between begin and end");
    while (first < block->count &&
           (block->records[first].done || block->records[first].outcome != WAITS))
        first++;
    *from = first;
    if (first == block->count)
        return false;
    *range = (struct record_range){(uint32_t)first, 1};
    if (flights->per_block)
        extend(block, most, range);
    set_outcomes(flight, first + 1, first + range->count, PART, 0);
    block->records[first].outcome = HANDED;
    RULE(range->count <= flight->waiting, "the records of a message were waiting");
    flight->waiting -= range->count;
    flight->unreported++;
    flight->messages++;
    flight->bytes +=
        record_range_size(block, range) + block->records[first].key_size + KAFKA_MESSAGE_HEAD;
    *from = first + range->count;
    *token = token_of(flights, at, first);
    return true;
}

void kafka_flights_return(struct kafka_flights *flights, void *token)
{
    struct kafka_flight *flight = flight_of(flights, token);
    size_t first = record_of(token);
    size_t end = message_end(flight->block, first);
    const struct record_range range = {(uint32_t)first, (uint32_t)(end - first)};
    RULE(flight->unreported > 1 && flight->messages != 0, "a message that returns was handed over");
    flight->bytes -= record_range_size(flight->block, &range) +
                     flight->block->records[first].key_size + KAFKA_MESSAGE_HEAD;
    set_outcomes(flight, first, end, WAITS, 0);
    flight->waiting += end - first;
    flight->unreported--;
    flight->messages--;
}

/* To be called for each report of a message, and at the end of handing over. */
static void note_reported(struct kafka_flights *flights, struct kafka_flight *flight)
{
    RULE(flight->unreported != 0, "each message is reported once");
    if (--flight->unreported != 0)
        return;
    RULE(flights->handed != 0 && flights->unreported >= flight->messages,
         "the counts of all flights include those of each");
    note_unreported(flights, flights->unreported - flight->messages);
    histogram_note(&flights->figures->request_time, histogram_times,
                   (uint64_t)(clock_monotonic_ns() - flight->handed_ns));
    flights->handed--;
    if (flight->waiting == 0)
        note_done(flights, flight);
}

void kafka_flights_end(struct kafka_flights *flights, size_t at)
{
    struct kafka_flight *flight = &flights->all[at];
    size_t bytes = 0;
    RULE(flight->unreported != 0, "the end of handing over follows its beginning");
    note_unreported(flights, flights->unreported + flight->messages);
    for (size_t i = 0; i < flights->most; i++)
        if (flights->all[i].unreported != 0)
            bytes += flights->all[i].bytes;
    if (bytes > flights->group_bytes)
        flights->group_bytes = bytes;
    if (flights->unreported > flights->group_messages)
        flights->group_messages = flights->unreported;
    note_reported(flights, flight);
}

/* --- reports ---------------------------------------------------------------------------------- */

const char *kafka_flights_complete(struct kafka_flights *flights, void *token,
                                   const struct kafka_outcome *outcome)
{
    struct kafka_flight *flight = flight_of(flights, token);
    if (!is_unreported(flight, token))
        return NULL;
    RULE(flight->open, "a block with an unreported message is open");
    size_t first = record_of(token);
    size_t end = message_end(flight->block, first);
    bool too_large = outcome->result == DELIVERY_REFUSED && outcome->reason == DELIVERY_TOO_LARGE;
    bool single = end - first == 1 && (outcome->by_itself || flights->group_messages == 1);
    bool again = too_large && !single;
    if (again) {
        set_outcomes(flight, first, end, WAITS, 0);
        flight->waiting += end - first;
    } else {
        set_outcomes(flight, first, end, (uint8_t)outcome->result, (uint8_t)outcome->reason);
        if (outcome->result != DELIVERY_ACKNOWLEDGED)
            set_why(flight, outcome->why);
    }
    const char *route = flight->block->route;
    note_reported(flights, flight);
    return again ? route : NULL;
}

/*
 * Ends the flight. Waiting records get `outcome`. Records of which the library has the message get
 * DELIVERY_UNKNOWN.
 */
static void close_flight(struct kafka_flights *flights, struct kafka_flight *flight,
                         const struct kafka_outcome *outcome)
{
    struct delivery_block *block = flight->block;
    for (size_t i = 0; i < block->count; i++) {
        if (block->records[i].done)
            continue;
        if (block->records[i].outcome == WAITS)
            set_outcomes(flight, i, i + 1, (uint8_t)outcome->result, (uint8_t)outcome->reason);
        else if (block->records[i].outcome == PART || block->records[i].outcome == HANDED)
            set_outcomes(flight, i, i + 1, DELIVERY_UNKNOWN, 0);
    }
    flight->waiting = 0;
    set_why(flight, outcome->why);
    note_done(flights, flight);
}

void kafka_flights_refuse(struct kafka_flights *flights, size_t at,
                          const struct kafka_outcome *outcome)
{
    close_flight(flights, &flights->all[at], outcome);
}

/* --- time ------------------------------------------------------------------------------------- */

static bool only_waits(const struct kafka_flight *flight)
{
    return flight->open && flight->unreported == 0;
}

void kafka_flights_expire(struct kafka_flights *flights, int64_t now_ns)
{
    static const struct kafka_outcome expired = {
        .result = DELIVERY_NOT_SENT, .why = "earlier messages are still waiting for a broker"};
    for (size_t i = 0; i < flights->most; i++)
        if (only_waits(&flights->all[i]) && now_ns >= flights->all[i].until_ns)
            close_flight(flights, &flights->all[i], &expired);
}

int64_t kafka_flights_due(const struct kafka_flights *flights)
{
    int64_t due_ns = INT64_MAX;
    for (size_t i = 0; i < flights->most; i++)
        if (only_waits(&flights->all[i]) && flights->all[i].until_ns < due_ns)
            due_ns = flights->all[i].until_ns;
    return flights->done_count != 0 ? 0 : due_ns;
}

void kafka_flights_abandon(struct kafka_flights *flights,
                           void (*lend)(void *context, struct delivery_block *block), void *context)
{
    static const struct kafka_outcome abandoned = {.result = DELIVERY_NOT_SENT,
                                                   .why = "no report came in time"};
    for (size_t i = 0; i < flights->most; i++) {
        struct kafka_flight *flight = &flights->all[i];
        if (!flight->open)
            continue;
        if (flight->unreported != 0)
            lend(context, flight->block);
        flight->unreported = 0;
        close_flight(flights, flight, &abandoned);
    }
    flights->handed = 0;
    note_unreported(flights, 0);
}
