#include "tests/simulation/far_end.h"

#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/record_key.h"
#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/world.h"

#define FLIGHTS      64
#define RECORDS_MOST 4096

/* What becomes of a record that is sent. */
enum outcome {
    GOES_THROUGH, /* it arrives, and is acknowledged */
    UNANSWERED,   /* it arrives, and nobody says so */
    LOST,         /* it does not arrive, and nobody says so */
    LATE,         /* the same, but it arrives in the end */
    NOT_SENT,
    REFUSED,
};

enum weather { UP, AWAY, SILENT, FLAKY, BUSY, WEATHERS };

struct flight {
    struct delivery_block *block; /* NULL: none */
    uint64_t turn;
    int64_t answers_ns;
    bool has_arrived, was_announced;
    uint8_t outcomes[RECORDS_MOST];
    uint8_t reason;
};

struct far_end {
    struct far_end_options options;
    unsigned sink;
    bool is_there;
    enum weather weather;
    int64_t changes_ns;
    int64_t slowest_ns;
    int64_t room_ns; /* while it is busy */
    struct wakeup *wakeup;
    uint64_t turns;
    size_t most_flights;
    bool has_news;
    struct flight flights[FLIGHTS];
};

static struct far_end far_ends[HISTORY_SINKS];

static struct delivered *history_of(const struct far_end *far)
{
    return &history->delivered[far->sink];
}

/* --- what arrives ----------------------------------------------------------------------------- */

static uint32_t number_of(const struct far_end *far, const struct delivery_block *block, size_t i)
{
    const struct delivery_record *record = &block->records[i];
    const char *line = (const char *)block->bytes + record->offset;
    uint32_t number;
    if (record->size < 2 || line[record->size - 1] != '\n' ||
        !message_number_of_line(line, record->size - 1, &number))
        world_fail("sink %u is given what is no line: %.*s", far->sink, (int)record->size, line);
    if (number >= history->sent_count || !history->sent[number].is_good ||
        !history->sent[number].received)
        world_fail("sink %u is given datagram %u, which the program cannot have", far->sink,
                   number);
    return number;
}

/* It never takes some. */
static bool refuses(const struct far_end *far, uint32_t number)
{
    return far->options.refuses && number % 37 == 5;
}

static void arrive(const struct far_end *far, const struct flight *flight, size_t i)
{
    struct delivered *delivered = history_of(far);
    uint32_t number = number_of(far, flight->block, i);
    if (refuses(far, number))
        return;
    uint8_t sender = history->sent[number].sender;
    if (delivered->arrived[number]++ != 0) {
        if (far->options.once)
            world_fail("sink %u has datagram %u twice", far->sink, number);
        return;
    }
    if (far->options.in_order && delivered->latest[sender] > (int64_t)number + 1)
        world_fail("sink %u has datagram %u of sender %u after %lld", far->sink, number, sender,
                   (long long)delivered->latest[sender] - 1);
    delivered->latest[sender] = (int64_t)number + 1;
}

static bool does_arrive(uint8_t outcome)
{
    return outcome == GOES_THROUGH || outcome == UNANSWERED;
}

static void arrive_all(const struct far_end *far, struct flight *flight, uint8_t late)
{
    for (size_t i = 0; i < flight->block->count; i++)
        if (!flight->block->records[i].done &&
            (does_arrive(flight->outcomes[i]) || flight->outcomes[i] == late))
            arrive(far, flight, i);
    flight->has_arrived = true;
}

static struct flight *next_of(struct far_end *far, uint64_t after)
{
    struct flight *next = NULL;
    for (size_t i = 0; i < FLIGHTS; i++)
        if (far->flights[i].block != NULL && far->flights[i].turn > after &&
            (next == NULL || far->flights[i].turn < next->turn))
            next = &far->flights[i];
    return next;
}

/* On one connection what was sent before arrives before. */
static void arrive_up_to(struct far_end *far, struct flight *last)
{
    if (!far->options.in_order) {
        arrive_all(far, last, GOES_THROUGH);
        return;
    }
    for (struct flight *flight = next_of(far, 0); flight != NULL;
         flight = next_of(far, flight->turn))
        if (!flight->has_arrived)
            arrive_all(far, flight, GOES_THROUGH);
}

void far_end_process_ends(void)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++) {
        struct far_end *far = &far_ends[i];
        for (struct flight *flight = next_of(far, 0); flight != NULL;
             flight = next_of(far, flight->turn)) {
            if (flight->has_arrived)
                continue;
            if (world_chance(500))
                arrive_all(far, flight, GOES_THROUGH);
            else if (far->options.in_order)
                break;
        }
    }
}

/* --- what becomes of a block ------------------------------------------------------------------ */

/* One of the same connection fails before it. */
static bool is_broken(const struct far_end *far)
{
    for (size_t i = 0; far->options.in_order && i < FLIGHTS; i++) {
        const struct flight *flight = &far->flights[i];
        for (size_t r = 0; flight->block != NULL && r < flight->block->count; r++)
            if (!flight->block->records[r].done && !does_arrive(flight->outcomes[r]) &&
                flight->outcomes[r] != REFUSED)
                return true;
    }
    return false;
}

static uint8_t any_failure(const struct far_end *far)
{
    static const uint8_t outcomes[] = {UNANSWERED, LOST, NOT_SENT, LATE};
    return outcomes[world_below(far->options.in_order ? 3 : 4)];
}

/* Chooses for each record: of a connection a first part goes through, and the rest fails alike. */
static void decide(struct far_end *far, struct flight *flight)
{
    size_t count = flight->block->count, first = count;
    uint8_t failure = any_failure(far);
    bool scatters = !far->options.in_order && world_chance(300);
    if (is_broken(far) || far->weather == AWAY) {
        first = 0;
        failure = NOT_SENT;
    } else if (far->weather == SILENT) {
        first = 0;
        failure = world_chance(500) ? UNANSWERED : LOST;
    } else if (far->weather == FLAKY && world_chance(500)) {
        first = world_chance(300) ? (size_t)world_below(count) : 0;
    }
    for (size_t i = 0; i < count; i++) {
        flight->outcomes[i] = i < first ? GOES_THROUGH : failure;
        if (first != count && scatters)
            flight->outcomes[i] = world_chance(500) ? GOES_THROUGH : failure;
        if (flight->outcomes[i] == GOES_THROUGH && refuses(far, number_of(far, flight->block, i)))
            flight->outcomes[i] = REFUSED;
    }
    flight->reason = (uint8_t)world_below(3); /* of all that it refuses */
}

/* Nothing is known of it before its answer. */
static int64_t answer_time(const struct far_end *far, const struct flight *flight)
{
    bool is_silent = false;
    int64_t latest = world_now_ns();
    for (size_t i = 0; i < flight->block->count; i++)
        is_silent |= flight->outcomes[i] == UNANSWERED || flight->outcomes[i] == LOST ||
                     flight->outcomes[i] == LATE;
    for (size_t i = 0; far->options.in_order && i < FLIGHTS; i++)
        if (far->flights[i].block != NULL && far->flights[i].answers_ns > latest)
            latest = far->flights[i].answers_ns;
    int64_t takes = (int64_t)world_below((uint64_t)far->slowest_ns);
    return (is_silent ? latest + 20 * MILLISECONDS : latest) + takes;
}

/* It is the same record in each try, and nothing stands between two of them. */
static void check_block(const struct far_end *far, const struct delivery_block *block)
{
    struct delivered *delivered = history_of(far);
    uint32_t offset = block->records[0].offset;
    for (size_t i = 0; i < block->count; i++) {
        const struct delivery_record *record = &block->records[i];
        uint64_t id = strtoull(block->epoch, NULL, 16) * 31 + block->first_number + i + 1;
        if (record->offset != offset || record->offset + record->size > block->size)
            world_fail("sink %u: record %zu of a block is not after the one before", far->sink, i);
        offset += record->size;
        if (record->done)
            continue;
        uint32_t number = number_of(far, block, i);
        if (delivered->ids[number] != 0 && delivered->ids[number] != id)
            world_fail("sink %u: datagram %u has another number than before", far->sink, number);
        delivered->ids[number] = id;
    }
}

static struct far_end *of(const struct destination *destination);

static bool send_block(struct destination *destination, struct delivery_block *block,
                       struct error *error)
{
    struct far_end *far = of(destination);
    (void)error;
    world_step();
    size_t at = 0;
    while (at < far->most_flights && far->flights[at].block != NULL)
        at++;
    if (far->weather == BUSY && far->room_ns <= world_now_ns() && world_chance(700))
        far->room_ns = world_now_ns() + (int64_t)world_below(50) * MILLISECONDS;
    if (at == far->most_flights || far->room_ns > world_now_ns())
        return false;
    check_block(far, block);
    struct flight *flight = &far->flights[at];
    flight->block = block;
    flight->turn = ++far->turns;
    flight->has_arrived = flight->was_announced = false;
    flight->answers_ns = 0;
    decide(far, flight);
    flight->answers_ns = answer_time(far, flight);
    world_trace("sink %u is sent %zu records, %u to %u, by number %llu: the first is %s", far->sink,
                block->count, number_of(far, block, 0), number_of(far, block, block->count - 1),
                (unsigned long long)block->first_number,
                (const char *const[]){"taken", "taken and not answered", "lost", "late", "not sent",
                                      "refused"}[flight->outcomes[0]]);
    if (world_chance(500))
        arrive_up_to(far, flight);
    far->has_news = true;
    world_step();
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The record's fate, as the program hears of it. */
static void settle(const struct far_end *far, const struct flight *flight, size_t i)
{
    struct delivered *delivered = history_of(far);
    struct delivery_record *record = &flight->block->records[i];
    uint32_t number = number_of(far, flight->block, i);
    record->reason = flight->reason;
    switch ((enum outcome)flight->outcomes[i]) {
    case GOES_THROUGH:
        record->fate = DELIVERY_ACKNOWLEDGED;
        delivered->settled[number] = true;
        delivered->acknowledged++;
        delivered->known_duplicates += delivered->doubtful[number];
        delivered->certain_duplicates += delivered->arrived[number] > 1;
        break;
    case REFUSED:
        record->fate = DELIVERY_REFUSED;
        delivered->settled[number] = true;
        if (delivered->doubtful[number])
            delivered->refused_in_doubt++;
        else if (flight->reason == DELIVERY_REJECTED)
            delivered->rejected++;
        else if (flight->reason == DELIVERY_TOO_LARGE)
            delivered->too_large++;
        else
            delivered->denied++;
        break;
    case NOT_SENT:
        record->fate = DELIVERY_NOT_SENT;
        break;
    default:
        record->fate = far->options.doubtful ? DELIVERY_DOUBTFUL : DELIVERY_UNKNOWN;
        delivered->doubtful[number] = true;
    }
}

static bool is_alike(const struct flight *flight)
{
    for (size_t i = 1; i < flight->block->count; i++)
        if (flight->outcomes[i] != flight->outcomes[0])
            return false;
    return true;
}

static struct delivery_block *give_back(struct far_end *far, struct flight *flight,
                                        struct error *error)
{
    struct delivery_block *block = flight->block;
    if (!flight->has_arrived)
        arrive_all(far, flight, LATE);
    size_t open = block->count;
    for (size_t i = 0; i < block->count; i++) {
        if (block->records[i].done)
            continue;
        settle(far, flight, i);
        open = i;
    }
    block->per_record = open == block->count || !is_alike(flight) || world_chance(300);
    if (!block->per_record) {
        block->fate = block->records[open].fate;
        block->reason = flight->reason;
    }
    if (error != NULL)
        error_set(error, EXIT_CODE_IO, "the far end has its reasons");
    flight->block = NULL;
    return block;
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    struct far_end *far = of(destination);
    world_step();
    *retry_after_ns = world_chance(50) ? (int64_t)world_below(500) * MILLISECONDS : 0;
    for (struct flight *flight = next_of(far, 0); flight != NULL;
         flight = next_of(far, flight->turn)) {
        if (flight->answers_ns <= world_now_ns())
            return give_back(far, flight, error);
        if (far->options.in_order)
            return NULL;
    }
    return NULL;
}

/* Those that were not answered yet: what had not arrived does not. */
static void abandon(struct destination *destination)
{
    struct far_end *far = of(destination);
    world_step();
    for (struct flight *flight = next_of(far, 0); flight != NULL;
         flight = next_of(far, flight->turn)) {
        if (flight->answers_ns <= world_now_ns())
            continue;
        flight->answers_ns = 0;
        for (size_t i = 0; i < flight->block->count; i++) {
            uint8_t *outcome = &flight->outcomes[i];
            if (*outcome != NOT_SENT)
                *outcome = !flight->has_arrived ? LOST : does_arrive(*outcome) ? UNANSWERED : LOST;
        }
    }
}

static size_t key(struct destination *destination, const struct listener *listener,
                  const struct record *record, uint8_t *bytes)
{
    (void)destination;
    (void)listener;
    const struct key_options options = {.kind = KEY_SERIES};
    return record_key(&options, record, bytes);
}

static int64_t due(const struct destination *destination)
{
    const struct far_end *far = of(destination);
    return far->room_ns > world_now_ns() ? far->room_ns : INT64_MAX;
}

static void serve(struct destination *destination)
{
    (void)destination;
    world_step();
}

/* --- what it does ----------------------------------------------------------------------------- */

static void change(struct far_end *far)
{
    static const enum weather weathers[] = {UP, UP, UP, UP, AWAY, AWAY, SILENT, FLAKY, FLAKY, BUSY};
    far->weather =
        far->options.is_steady ? UP : weathers[world_below(sizeof weathers / sizeof weathers[0])];
    far->changes_ns = world_now_ns() + (int64_t)world_below(1500) * MILLISECONDS + 1;
    far->slowest_ns = world_chance(200) ? 400 * MILLISECONDS : 4 * MILLISECONDS;
    far->most_flights = 1 + (size_t)world_below(FLIGHTS);
    world_trace("the far end of sink %u is now %s", far->sink,
                (const char *const[]){"up", "away", "silent", "flaky", "busy"}[far->weather]);
}

void far_end_begin(unsigned sink, const struct far_end_options *options)
{
    struct far_end *far = &far_ends[sink];
    far->options = *options;
    far->sink = sink;
    far->is_there = true;
    change(far);
}

/* Signals the sink where answers are there. Returns when there are more. */
static int64_t announce(struct far_end *far)
{
    int64_t next = far->changes_ns;
    bool signals = false;
    for (size_t i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &far->flights[i];
        if (flight->block == NULL || flight->was_announced)
            continue;
        flight->was_announced = flight->answers_ns <= world_now_ns();
        signals |= flight->was_announced;
        if (!flight->was_announced && flight->answers_ns < next)
            next = flight->answers_ns;
    }
    if (signals && far->wakeup != NULL)
        wakeup_signal(far->wakeup);
    return next;
}

static bool has_news(const void *context)
{
    (void)context;
    for (size_t i = 0; i < HISTORY_SINKS; i++)
        if (far_ends[i].has_news)
            return true;
    return false;
}

void far_end_run(void *argument)
{
    (void)argument;
    for (;;) {
        int64_t next = WORLD_NEVER;
        for (size_t i = 0; i < HISTORY_SINKS; i++) {
            struct far_end *far = &far_ends[i];
            if (!far->is_there)
                continue;
            far->has_news = false;
            if (far->changes_ns <= world_now_ns())
                change(far);
            int64_t its = announce(far);
            next = its < next ? its : next;
        }
        world_wait(has_news, NULL, next);
    }
}

/* --- as a destination ------------------------------------------------------------------------- */

static const struct delivery_ops delivery_ops = {
    .send = send_block,
    .answer = answer,
    .key = key,
    .due = due,
    .serve = serve,
    .abandon = abandon,
};

struct sim_delivery {
    struct destination destination; /* first */
    struct far_end *far;
};

static struct far_end *of(const struct destination *destination)
{
    return ((const struct sim_delivery *)destination)->far;
}

static void destroy(struct destination *destination)
{
    struct far_end *far = of(destination);
    for (size_t i = 0; i < FLIGHTS; i++)
        if (far->flights[i].block != NULL)
            world_fail("sink %u is destroyed while blocks are not answered", far->sink);
    far->wakeup = NULL;
    free(destination);
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    struct sim_delivery *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->destination = (struct destination){.delivery = &delivery_ops, .destroy = destroy};
    made->far = &far_ends[options->path[strlen(options->path) - 1] - '0'];
    made->far->wakeup = options->wakeup;
    *out = &made->destination;
    return 0;
}

static const char *version(void)
{
    return "of the world";
}

const struct destination_ops destination_kafka = {
    .scheme = "kafka",
    .place = "//BROKER[,BROKER]/TOPIC",
    .needs_path = true,
    .library = version,
    .is_delivery = true,
    .is_kafka = true,
    .create = create,
};
