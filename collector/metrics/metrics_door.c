#include "collector/metrics/metrics_door.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/address.h"
#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/tcp.h"

#define MS_NS INT64_C(1000000)

/* The maximum number of clients that are accepted in one round of the main thread. */
#define ACCEPTED_MOST 64

/* The pause after the system refused an accept, and the interval at which refusals are logged. */
#define REFUSED_PAUSE_NS (1000 * MS_NS)
#define REFUSED_LOG_NS   (60000 * MS_NS)

/*
 * The next check of an incomplete request follows after 1/LOOK_PART of the time that it has waited.
 */
#define LOOK_PART     8
#define LOOK_LEAST_NS MS_NS
#define LOOK_MOST_NS  (100 * MS_NS)

struct waiting {
    wait_handle connection; /* NO_HANDLE: the slot is free */
    struct address network; /* address of the peer's network */
    int64_t since_ns;
    int64_t look_ns; /* when to check again */
    bool whole;      /* the head of its request is complete */
};

struct metrics_door {
    struct metrics_door_options options;
    struct waiting slots[METRICS_WAITING];
    int64_t closed_until_ns;
    int64_t quiet_until_ns; /* when a refusal may be logged again */
    char head[METRICS_HEAD];
};

struct metrics_door *metrics_door_create(const struct metrics_door_options *options)
{
    struct metrics_door *door = malloc(sizeof *door);
    if (door == NULL)
        return NULL;
    door->options = *options;
    door->closed_until_ns = 0;
    door->quiet_until_ns = 0;
    for (size_t i = 0; i < METRICS_WAITING; i++)
        door->slots[i] = (struct waiting){.connection = NO_HANDLE};
    return door;
}

size_t metrics_door_memory(void)
{
    return sizeof(struct metrics_door);
}

/* --- slots ------------------------------------------------------------------------------------ */

static void door_end(struct waiting *slot)
{
    RULE(slot->connection != NO_HANDLE, "a slot that is freed has a connection");
    tcp_connection_close(slot->connection);
    slot->connection = NO_HANDLE;
}

void metrics_door_destroy(struct metrics_door *door)
{
    if (door == NULL)
        return;
    for (size_t i = 0; i < METRICS_WAITING; i++)
        if (door->slots[i].connection != NO_HANDLE)
            door_end(&door->slots[i]);
    tcp_listener_close(door->options.listener);
    free(door);
}

static size_t door_slots_of(const struct metrics_door *door, const struct address *network)
{
    size_t count = 0;
    for (size_t i = 0; i < METRICS_WAITING; i++)
        count += address_same_host(&door->slots[i].network, network);
    return count;
}

/*
 * Frees a slot of the host that has the most slots: its oldest slot with an incomplete request,
 * otherwise its oldest slot.
 */
static struct waiting *door_evict(struct metrics_door *door)
{
    struct waiting *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < METRICS_WAITING; i++) {
        struct waiting *slot = &door->slots[i];
        size_t count = door_slots_of(door, &slot->network);
        bool sooner =
            found == NULL ||
            (slot->whole == found->whole ? slot->since_ns < found->since_ns : found->whole);
        if (count < most || (count == most && !sooner))
            continue;
        most = count;
        found = slot;
    }
    door_end(found);
    return found;
}

static struct waiting *door_find_slot(struct metrics_door *door)
{
    for (size_t i = 0; i < METRICS_WAITING; i++)
        if (door->slots[i].connection == NO_HANDLE)
            return &door->slots[i];
    return door_evict(door);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Returns the bytes of empty lines before a request, which a server ignores (RFC 9112, 2.2). */
static size_t empty_lines(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (text[at] == '\r' || text[at] == '\n'))
        at++;
    return at;
}

/* Whether an empty line ends the head; lines may end without a carriage return. */
static bool door_is_whole(const char *text, size_t size)
{
    for (const char *end = text + size;
         (text = memchr(text, '\n', (size_t)(end - text))) != NULL;) {
        text++;
        if (text != end && *text == '\r')
            text++;
        if (text != end && *text == '\n')
            return true;
    }
    return false;
}

static bool asks_for_health(const char *text, size_t size)
{
    static const char *const beginnings[] = {"GET /healthz ", "HEAD /healthz "};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t length = strlen(beginnings[i]);
        if (size >= length && memcmp(text, beginnings[i], length) == 0)
            return true;
    }
    return false;
}

/* Passes the connection to the server, closes it, or schedules the next check. */
static void door_look(struct metrics_door *door, struct waiting *slot, int64_t now_ns)
{
    const struct metrics_door_options *options = &door->options;
    size_t size;
    enum tcp_result result = tcp_connection_peek(slot->connection, door->head, METRICS_HEAD, &size);
    RULE(size <= METRICS_HEAD, "a request is read into the head");
    size_t empty = empty_lines(door->head, size);
    size_t ignored;
    if (empty != 0) /* the library would take an empty line for the beginning of a request */
        tcp_connection_receive(slot->connection, door->head, empty, &ignored);
    slot->whole =
        door_is_whole(door->head + empty, size - empty) || (empty == 0 && size == METRICS_HEAD);
    bool gone = result == TCP_BROKEN || (result == TCP_END && !slot->whole);
    if (gone || now_ns - slot->since_ns >= options->stall_timeout_ns) {
        door_end(slot);
    } else if (slot->whole &&
               options->has_slot(options->context,
                                 asks_for_health(door->head + empty, size - empty))) {
        wait_handle connection = slot->connection;
        slot->connection = NO_HANDLE;
        options->enter(options->context, connection);
    } else {
        int64_t pause_ns = (now_ns - slot->since_ns) / LOOK_PART;
        pause_ns = pause_ns < LOOK_LEAST_NS ? LOOK_LEAST_NS : pause_ns;
        slot->look_ns = now_ns + (pause_ns > LOOK_MOST_NS ? LOOK_MOST_NS : pause_ns);
    }
}

static void door_refuse(struct metrics_door *door, const struct error *error, int64_t now_ns)
{
    door->closed_until_ns = now_ns + REFUSED_PAUSE_NS;
    if (now_ns < door->quiet_until_ns)
        return;
    door->quiet_until_ns = now_ns + REFUSED_LOG_NS;
    log_line(LOG_WARNING, "metrics: %s; trying again every second", error->text);
}

static void accept_clients(struct metrics_door *door, int64_t now_ns)
{
    for (size_t i = 0; i < ACCEPTED_MOST; i++) {
        struct address peer;
        struct error error;
        wait_handle connection;
        enum accept_result result = tcp_connection_accept(
            door->options.listener, DESCRIPTOR_OF_CLIENT, &connection, &peer, &error);
        if (result == ACCEPT_NO_MEANS)
            door_refuse(door, &error, now_ns);
        if (result != ACCEPT_OK)
            return;
        struct waiting *slot = door_find_slot(door);
        RULE(slot->connection == NO_HANDLE, "a new connection gets a free slot");
        *slot = (struct waiting){
            .connection = connection, .network = address_network(&peer), .since_ns = now_ns};
        door_look(door, slot, now_ns);
    }
}

bool metrics_door_is_open(const struct metrics_door *door, int64_t now_ns)
{
    return now_ns >= door->closed_until_ns;
}

int64_t metrics_door_due(const struct metrics_door *door)
{
    int64_t due_ns = INT64_MAX;
    if (door->closed_until_ns != 0)
        due_ns = door->closed_until_ns;
    for (size_t i = 0; i < METRICS_WAITING; i++)
        if (door->slots[i].connection != NO_HANDLE)
            bring_forward(&due_ns, door->slots[i].look_ns);
    return due_ns;
}

void metrics_door_serve(struct metrics_door *door, int64_t now_ns)
{
    for (size_t i = 0; i < METRICS_WAITING; i++)
        if (door->slots[i].connection != NO_HANDLE && now_ns >= door->slots[i].look_ns)
            door_look(door, &door->slots[i], now_ns);
    if (!metrics_door_is_open(door, now_ns))
        return;
    door->closed_until_ns = 0;
    accept_clients(door, now_ns);
}
