#include "tests/simulation/far_end.h"

#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/record_key.h"
#include "tests/simulation/check_source.h"
#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/moments.h"
#include "tests/simulation/world.h"

#define FLIGHTS      64
#define RECORDS_MOST 4096

/* The result of sending a record. */
enum outcome {
    GOES_THROUGH, /* the record arrives, and is acknowledged */
    UNANSWERED,   /* the record arrives, but is not answered */
    LOST,         /* the record does not arrive, and is not answered */
    LATE,         /* as LOST, but the record arrives later */
    NOT_SENT,
    REFUSED,
};

enum weather { UP, AWAY, SILENT, FLAKY, BUSY, WEATHERS };

struct flight {
    struct delivery_block *block; /* NULL if unused */
    uint64_t turn;
    int64_t answers_ns;
    bool has_arrived, was_announced;
    uint8_t outcomes[RECORDS_MOST];
    uint8_t reason;
};

struct far_end {
    const struct far_end_options *options; /* NULL if the sink is not a delivery */
    unsigned sink;
    enum weather weather;
    bool takes_all; /* while SILENT: accepts all blocks */
    int64_t changes_ns;
    int64_t slowest_ns;
    int64_t room_ns; /* while BUSY: time at which it accepts blocks again */
    size_t most_flights;
    struct connection *connections;
};

/*
 * A destination of the program. A reload may create another connection for the same sink while this
 * one is still used.
 */
struct connection {
    struct destination destination; /* must be first */
    struct far_end *far;
    struct connection *next;
    struct wakeup *wakeup;
    bool is_signalling;
    uint64_t turns;
    int64_t *latest; /* for each flow, the last arrived record plus one; shared by connections that
                        follow each other */
    int64_t own_latest[HISTORY_FLOWS];
    struct flight flights[FLIGHTS];
};

const bool far_end_says_maybe_sent = true;

static struct far_end far_ends[HISTORY_SINKS];
static bool news;

static struct delivered *history_of(const struct far_end *far)
{
    return &history->delivered[far->sink];
}

/* --- arriving blocks -------------------------------------------------------------------------- */

static uint32_t number_of(const struct far_end *far, const struct delivery_block *block, size_t i)
{
    const struct delivery_record *record = &block->records[i];
    const char *line = (const char *)block->bytes + record->offset;
    uint32_t number;
    if (record->size < 2 || line[record->size - 1] != '\n' ||
        !message_number_of_line(line, record->size - 1, &number))
        world_fail("sink %u gets an invalid line: %.*s", far->sink, (int)record->size, line);
    if (!history_may_have(far->sink, number))
        world_fail("sink %u is given datagram %u, which the program cannot have", far->sink,
                   number);
    check_source(number, line, record->size - 1);
    return number;
}

static void arrive(const struct connection *connection, const struct flight *flight, size_t i)
{
    const struct far_end *far = connection->far;
    uint32_t number = number_of(far, flight->block, i);
    if (far_end_refuses(far->options, number) ||
        !history_note_arrival(far->sink, number, far->options->once))
        return;
    unsigned flow = history->sent[number].flow;
    int64_t *latest = &connection->latest[flow];
    if (far->options->in_order && *latest > (int64_t)number + 1)
        world_fail("sink %u has datagram %u of flow %u after %lld", far->sink, number, flow,
                   (long long)*latest - 1);
    *latest = (int64_t)number + 1;
}

static bool does_arrive(uint8_t outcome)
{
    return outcome == GOES_THROUGH || outcome == UNANSWERED;
}

static void arrive_all(const struct connection *connection, struct flight *flight, uint8_t late)
{
    for (size_t i = 0; i < flight->block->count; i++)
        if (!flight->block->records[i].done &&
            (does_arrive(flight->outcomes[i]) || flight->outcomes[i] == late))
            arrive(connection, flight, i);
    flight->has_arrived = true;
}

static struct flight *next_of(struct connection *connection, uint64_t after)
{
    struct flight *next = NULL;
    for (size_t i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &connection->flights[i];
        if (flight->block != NULL && flight->turn > after &&
            (next == NULL || flight->turn < next->turn))
            next = flight;
    }
    return next;
}

/*
 * The block `last` arrives. On a connection that keeps the order, all earlier blocks arrive before
 * it.
 */
static void arrive_up_to(struct connection *connection, struct flight *last)
{
    if (!connection->far->options->in_order) {
        arrive_all(connection, last, GOES_THROUGH);
        return;
    }
    for (struct flight *flight = next_of(connection, 0); flight != NULL;
         flight = next_of(connection, flight->turn))
        if (!flight->has_arrived)
            arrive_all(connection, flight, GOES_THROUGH);
}

static void connection_ends(struct connection *connection)
{
    for (struct flight *flight = next_of(connection, 0); flight != NULL;
         flight = next_of(connection, flight->turn)) {
        if (flight->has_arrived)
            continue;
        if (world_chance(500))
            arrive_all(connection, flight, GOES_THROUGH);
        else if (connection->far->options->in_order)
            break;
    }
}

void far_end_process_ends(void)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++)
        for (struct connection *connection = far_ends[i].connections; connection != NULL;
             connection = connection->next)
            connection_ends(connection);
}

/* --- the outcome of a block ------------------------------------------------------------------- */

/* Returns true if an earlier record of the same ordered connection fails. */
static bool is_broken(const struct connection *connection)
{
    for (size_t i = 0; connection->far->options->in_order && i < FLIGHTS; i++) {
        const struct flight *flight = &connection->flights[i];
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
    return outcomes[world_below(far->options->in_order ? 3 : 4)];
}

/*
 * Chooses the outcome of each record. On a connection that keeps the order, all records after the
 * first failed one fail in the same way.
 */
static void decide(const struct connection *connection, struct flight *flight)
{
    const struct far_end *far = connection->far;
    size_t count = flight->block->count, first = count;
    uint8_t failure = any_failure(far);
    bool scatters = !far->options->in_order && world_chance(300);
    if (is_broken(connection) || far->weather == AWAY) {
        first = 0;
        failure = NOT_SENT;
    } else if (far->weather == SILENT) {
        first = 0;
        failure = far->takes_all || world_chance(500) ? UNANSWERED : LOST;
    } else if (far->weather == FLAKY && world_chance(500)) {
        first = world_chance(300) ? (size_t)world_below(count) : 0;
    }
    for (size_t i = 0; i < count; i++) {
        flight->outcomes[i] = i < first ? GOES_THROUGH : failure;
        if (first != count && scatters)
            flight->outcomes[i] = world_chance(500) ? GOES_THROUGH : failure;
        if (flight->outcomes[i] == GOES_THROUGH &&
            far_end_refuses(far->options, number_of(far, flight->block, i)))
            flight->outcomes[i] = REFUSED;
    }
    flight->reason = (uint8_t)world_below(3); /* the same for all refused records */
}

/* Returns the time at which the answer comes. */
static int64_t answer_time(const struct connection *connection, const struct flight *flight)
{
    const struct far_end *far = connection->far;
    bool is_silent = false;
    int64_t latest = world_now_ns();
    for (size_t i = 0; i < flight->block->count; i++)
        is_silent |= flight->outcomes[i] == UNANSWERED || flight->outcomes[i] == LOST ||
                     flight->outcomes[i] == LATE;
    for (size_t i = 0; far->options->in_order && i < FLIGHTS; i++)
        if (connection->flights[i].block != NULL && connection->flights[i].answers_ns > latest)
            latest = connection->flights[i].answers_ns;
    int64_t takes = (int64_t)world_below((uint64_t)far->slowest_ns);
    return (is_silent ? latest + 20 * MILLISECONDS : latest) + takes;
}

/*
 * Checks that each retry sends the same record, and that no other record is sent between two
 * attempts.
 */
static void take_block(const struct far_end *far, const struct delivery_block *block)
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
        delivered->handed_ns[number] = world_now_ns();
    }
}

static struct connection *of(const struct destination *destination)
{
    return (struct connection *)(uintptr_t)destination;
}

static bool send_block(struct destination *destination, struct delivery_block *block,
                       struct error *error)
{
    struct connection *connection = of(destination);
    struct far_end *far = connection->far;
    (void)error;
    world_step();
    size_t at = 0;
    while (at < far->most_flights && connection->flights[at].block != NULL)
        at++;
    if (far->weather == BUSY && far->room_ns <= world_now_ns() && world_chance(700))
        far->room_ns = world_now_ns() + (int64_t)world_below(50) * MILLISECONDS;
    if (at == far->most_flights || far->room_ns > world_now_ns())
        return false;
    take_block(far, block);
    struct flight *flight = &connection->flights[at];
    flight->block = block;
    flight->turn = ++connection->turns;
    flight->has_arrived = flight->was_announced = false;
    flight->answers_ns = 0;
    decide(connection, flight);
    flight->answers_ns = answer_time(connection, flight);
    world_trace("sink %u is sent %zu records, %u to %u, by number %llu: the first is %s", far->sink,
                block->count, number_of(far, block, 0), number_of(far, block, block->count - 1),
                (unsigned long long)block->first_number,
                (const char *const[]){"taken", "taken and not answered", "lost", "late", "not sent",
                                      "refused"}[flight->outcomes[0]]);
    if (far->takes_all || world_chance(500))
        arrive_up_to(connection, flight);
    news = true;
    moment_comes(MOMENT_BLOCK_IS_SENT);
    world_step();
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void settle(const struct far_end *far, const struct flight *flight, size_t i)
{
    struct delivered *delivered = history_of(far);
    struct delivery_record *record = &flight->block->records[i];
    uint32_t number = number_of(far, flight->block, i);
    record->reason = flight->reason;
    delivered->handed_ns[number] = 0;
    switch ((enum outcome)flight->outcomes[i]) {
    case GOES_THROUGH:
        record->outcome = DELIVERY_ACKNOWLEDGED;
        history_note_acknowledged(far->sink, number);
        break;
    case REFUSED:
        record->outcome = DELIVERY_REFUSED;
        history_note_refused(far->sink, number, flight->reason);
        break;
    case NOT_SENT:
        record->outcome = DELIVERY_NOT_SENT;
        break;
    default:
        record->outcome = far->options->maybe_sent ? DELIVERY_MAYBE_SENT : DELIVERY_UNKNOWN;
        delivered->maybe_sent[number] = true;
    }
}

static bool is_alike(const struct flight *flight)
{
    for (size_t i = 1; i < flight->block->count; i++)
        if (flight->outcomes[i] != flight->outcomes[0])
            return false;
    return true;
}

static struct delivery_block *give_back(struct connection *connection, struct flight *flight,
                                        struct error *error)
{
    struct delivery_block *block = flight->block;
    if (!flight->has_arrived)
        arrive_all(connection, flight, LATE);
    size_t open = block->count;
    for (size_t i = 0; i < block->count; i++) {
        if (block->records[i].done)
            continue;
        settle(connection->far, flight, i);
        open = i;
    }
    block->per_record = open == block->count || !is_alike(flight) || world_chance(300);
    if (!block->per_record) {
        block->outcome = block->records[open].outcome;
        block->reason = flight->reason;
    }
    if (error != NULL)
        error_set(error, EXIT_CODE_IO, "the far end has its reasons");
    flight->block = NULL;
    moment_comes(MOMENT_BLOCK_IS_ANSWERED);
    return block;
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    struct connection *connection = of(destination);
    world_step();
    *retry_after_ns = world_chance(50) ? (int64_t)world_below(500) * MILLISECONDS : 0;
    for (struct flight *flight = next_of(connection, 0); flight != NULL;
         flight = next_of(connection, flight->turn)) {
        if (flight->answers_ns <= world_now_ns())
            return give_back(connection, flight, error);
        if (connection->far->options->in_order)
            return NULL;
    }
    return NULL;
}

/*
 * Answers all blocks now. Records without an answer by then are given up, and those that have not
 * arrived yet never will.
 */
static void abandon(struct destination *destination)
{
    struct connection *connection = of(destination);
    world_step();
    for (struct flight *flight = next_of(connection, 0); flight != NULL;
         flight = next_of(connection, flight->turn)) {
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
    const struct far_end *far = of(destination)->far;
    return far->room_ns > world_now_ns() ? far->room_ns : INT64_MAX;
}

static void serve(struct destination *destination)
{
    (void)destination;
    world_step();
}

/* --- actions of the far end ------------------------------------------------------------------- */

static void change(struct far_end *far)
{
    static const enum weather weathers[] = {UP, UP, UP, UP, AWAY, AWAY, SILENT, FLAKY, FLAKY, BUSY};
    far->weather =
        far->options->is_steady ? UP : weathers[world_below(sizeof weathers / sizeof weathers[0])];
    far->changes_ns = world_now_ns() + (int64_t)world_below(1500) * MILLISECONDS + 1;
    far->slowest_ns = world_chance(200) ? 400 * MILLISECONDS : 4 * MILLISECONDS;
    far->most_flights = 1 + (size_t)world_below(FLIGHTS);
    world_trace("the far end of sink %u is now %s", far->sink,
                (const char *const[]){"up", "away", "silent", "flaky", "busy"}[far->weather]);
}

void far_end_break_off(bool silently, bool for_good)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++) {
        if (far_ends[i].options == NULL || far_ends[i].options->is_steady)
            continue;
        far_ends[i].weather = silently ? SILENT : AWAY;
        far_ends[i].changes_ns = WORLD_NEVER;
        far_ends[i].takes_all = world_chance(700);
        if (world_chance(700))
            far_ends[i].slowest_ns = 3 * SECONDS;
        if (for_good)
            far_ends[i].slowest_ns = 3000 * SECONDS;
        if (world_chance(500))
            far_ends[i].most_flights = 1 + (size_t)world_below(2);
    }
}

void far_end_begin(unsigned sink, const struct far_end_options *options)
{
    struct far_end *far = &far_ends[sink];
    far->options = options;
    far->sink = sink;
    change(far);
}

/* Signals the connection's sink if it has new answers. Returns the time of the next answer. */
static int64_t announce(struct connection *connection)
{
    int64_t next = WORLD_NEVER;
    bool signals = false;
    for (size_t i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &connection->flights[i];
        if (flight->block == NULL || flight->was_announced)
            continue;
        flight->was_announced = flight->answers_ns <= world_now_ns();
        signals |= flight->was_announced;
        if (!flight->was_announced && flight->answers_ns < next)
            next = flight->answers_ns;
    }
    connection->is_signalling = signals;
    if (signals)
        wakeup_signal(connection->wakeup);
    connection->is_signalling = false;
    return next;
}

static bool has_news(const void *context)
{
    (void)context;
    return news;
}

static int64_t serve_far_end(struct far_end *far)
{
    if (far->changes_ns <= world_now_ns())
        change(far);
    int64_t next = far->changes_ns;
    for (struct connection *connection = far->connections; connection != NULL;
         connection = connection->next) {
        int64_t its = announce(connection);
        next = its < next ? its : next;
    }
    return next;
}

void far_end_run(void *argument)
{
    (void)argument;
    for (;;) {
        int64_t next = WORLD_NEVER;
        news = false;
        for (size_t i = 0; i < HISTORY_SINKS; i++) {
            if (far_ends[i].options == NULL)
                continue;
            int64_t its = serve_far_end(&far_ends[i]);
            next = its < next ? its : next;
        }
        world_wait(has_news, NULL, next);
    }
}

/* --- the far end as a destination ------------------------------------------------------------- */

static const struct delivery_ops delivery_ops = {
    .send = send_block,
    .answer = answer,
    .key = key,
    .due = due,
    .serve = serve,
    .abandon = abandon,
};

static bool is_at_rest(const void *context)
{
    return !((const struct connection *)context)->is_signalling;
}

static void destroy(struct destination *destination)
{
    struct connection *connection = of(destination);
    while (!is_at_rest(connection))
        world_wait(is_at_rest, connection, WORLD_NEVER);
    struct connection **link = &connection->far->connections;
    for (size_t i = 0; i < FLIGHTS; i++)
        if (connection->flights[i].block != NULL)
            world_fail("sink %u is destroyed while blocks are not answered", connection->far->sink);
    while (*link != connection)
        link = &(*link)->next;
    *link = connection->next;
    free(connection);
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    struct connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    struct far_end *far = &far_ends[options->path[strlen(options->path) - 1] - '0'];
    *made = (struct connection){.destination = {.delivery = &delivery_ops, .destroy = destroy},
                                .far = far,
                                .next = far->connections,
                                .wakeup = options->wakeup};
    made->latest = far->options->follows ? history_of(far)->latest : made->own_latest;
    far->connections = made;
    history_of(far)->connections++;
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
    .place_is = PLACE_OWN_TEXT,
    .library = version,
    .takes = TAKES_BLOCKS,
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_KAFKA,
    .topic = broker_place_route,
    .create = create,
};
