/*
 * Implements UDP sockets and their notifier in the simulated world. The notifier reports the fewest
 * edges that the contract allows: one for the first datagram after a socket was added, and one for
 * the first datagram after a receive returned would-block. A program that expects more edges loses
 * datagrams.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/common/datagram_buffers.h"
#include "collector/platform/notifier.h"
#include "collector/platform/udp.h"
#include "tests/simulation/network.h"
#include "tests/simulation/world.h"

#define SOCKETS_MOST 32
#define QUEUE_MOST   8192
#define SOURCES_MOST 64

/* The receive-buffer space that the kernel charges for a small datagram, in bytes. */
#define CHARGE 832

struct queued {
    uint32_t number;
    uint32_t size;
    struct address source;
    int64_t received_ns;
    uint8_t bytes[NETWORK_DATAGRAM_MAX];
};

struct udp_socket {
    struct udp_socket_options options;
    struct address address;
    wait_handle handle;
    bool bound, refuses, was_watched;
    struct queued *queue[QUEUE_MOST];
    size_t first, count;
    size_t charged;
    uint64_t drops, drops_seen, errors;
    struct sim_notifier *watched_by;
    void *token;
    bool armed; /* the next datagram causes an edge */
    bool edge;  /* an edge is pending */
};

static struct udp_socket *sockets[SOCKETS_MOST]; /* indexed by the handle minus FIRST_HANDLE */
#define FIRST_HANDLE 100

static struct network_faults faults;
static uint64_t all_drops, left_behind;
void (*network_received)(uint32_t number);

void network_set_faults(const struct network_faults *wanted)
{
    faults = *wanted;
}

uint64_t network_drops(void)
{
    return all_drops;
}

uint64_t network_left_behind(void)
{
    return left_behind;
}

/* --- senders' side ---------------------------------------------------------------------------- */

/*
 * The socket that receives the datagrams of a source. When it is closed, later datagrams of the
 * source are lost until the port is opened again.
 */
static struct choice {
    uint16_t source; /* the source's port; 0 if the entry is free */
    uint16_t port;   /* the destination port */
    struct udp_socket *socket;
    bool closed;
} chosen[SOURCES_MOST];

/* The ports on which the program has listened. */
static struct port {
    uint16_t number;
    unsigned generation;
} ports[SOCKETS_MOST];

static struct port *port_of(uint16_t number)
{
    size_t i = 0;
    while (ports[i].number != 0 && ports[i].number != number)
        if (++i == SOCKETS_MOST)
            world_fail("more than %d ports", SOCKETS_MOST);
    ports[i].number = number;
    return &ports[i];
}

unsigned network_generation(uint16_t port)
{
    return port_of(port)->generation;
}

/* Called when no other socket has the port. */
static void begin_port(uint16_t number)
{
    port_of(number)->generation++;
    for (size_t i = 0; i < SOURCES_MOST; i++)
        if (chosen[i].port == number)
            chosen[i].closed = false;
}

static struct choice *choice_of(uint16_t source, uint16_t port)
{
    size_t i = 0;
    while (i < SOURCES_MOST && chosen[i].source != 0 && chosen[i].source != source)
        i++;
    if (i == SOURCES_MOST)
        world_fail("more than %d sources", SOURCES_MOST);
    chosen[i].source = source;
    chosen[i].port = port;
    return &chosen[i];
}

/*
 * Returns the socket for a source's datagrams, from those that share a port. It is always the same
 * one for a source. A real system chooses again when a socket is added or removed; then the order
 * of a source's datagrams would be random.
 */
static struct udp_socket *socket_of(uint16_t port, const struct address *source)
{
    struct udp_socket *sharing[SOCKETS_MOST];
    size_t count = 0;
    struct choice *choice = choice_of(source->port, port);
    if (choice->closed || choice->socket != NULL)
        return choice->socket;
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (sockets[i] != NULL && sockets[i]->bound && sockets[i]->was_watched &&
            sockets[i]->address.port == port)
            sharing[count++] = sockets[i];
    if (count != 0)
        choice->socket = sharing[source->port % count];
    return choice->socket;
}

enum network_fate network_send(uint16_t port, const struct address *source, const uint8_t *bytes,
                               size_t size, uint32_t number)
{
    struct udp_socket *socket = socket_of(port, source);
    if (socket == NULL)
        return NETWORK_NOBODY;
    if (socket->refuses || socket->count == QUEUE_MOST ||
        socket->charged + CHARGE + size > 2 * socket->options.receive_buffer) {
        socket->drops++;
        return socket->refuses ? NETWORK_NOBODY : NETWORK_DROPPED;
    }
    struct queued *queued = malloc(sizeof *queued);
    if (queued == NULL)
        world_fail("no memory for a datagram");
    queued->number = number;
    queued->size = (uint32_t)size;
    queued->source = *source;
    queued->received_ns = world_date_ns();
    memcpy(queued->bytes, bytes, size);
    socket->queue[(socket->first + socket->count++) % QUEUE_MOST] = queued;
    socket->charged += CHARGE + size;
    socket->edge = socket->edge || socket->armed;
    socket->armed = false;
    return NETWORK_QUEUED;
}

/* --- sockets ---------------------------------------------------------------------------------- */

const bool udp_socket_can_share_port = true;
const bool udp_socket_reports_arrival = true;
const bool udp_socket_can_gro = false;
const bool udp_socket_can_busy_poll = false;
const bool udp_socket_can_join = false;
const char *const udp_socket_buffer_advice = "raise the world's limit";

int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error)
{
    world_step();
    struct udp_socket *socket = calloc(1, sizeof *socket);
    if (socket == NULL)
        return error_no_memory(error);
    socket->options = *options;
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (sockets[i] == NULL) {
            sockets[i] = socket;
            socket->handle = (wait_handle)(FIRST_HANDLE + i);
            *out = socket;
            return 0;
        }
    world_fail("more than %d sockets", SOCKETS_MOST);
}

int udp_socket_check_filter(const struct networks *only_from, struct error *error)
{
    (void)only_from;
    error_set(error, EXIT_CODE_CONFIG, "the world has no such filters");
    return -1;
}

int udp_socket_check_spread(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "the world does not spread datagrams");
    return -1;
}

uint64_t udp_socket_most_held(uint64_t receive_buffer, bool gro)
{
    (void)gro;
    return 2 * receive_buffer / CHARGE + DATAGRAM_GROUP_SIZE;
}

int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error)
{
    world_step();
    (void)error;
    socket->options = *options;
    return 0;
}

int udp_socket_bind(struct udp_socket *socket, struct error *error)
{
    world_step();
    const struct address *wanted = &socket->options.address;
    bool is_first = true;
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        const struct udp_socket *other = sockets[i];
        if (other == NULL || !other->bound || other->address.port != wanted->port)
            continue;
        is_first = false;
        if (other->options.share_port && socket->options.share_port)
            continue;
        error_set(error, EXIT_CODE_CANNOT_BIND, "somebody else has port %u", wanted->port);
        return -1;
    }
    if (is_first)
        begin_port(wanted->port);
    socket->address = *wanted;
    socket->bound = true;
    world_step();
    return 0;
}

enum udp_socket_group udp_socket_keep_group(struct udp_socket *socket, struct error *error)
{
    (void)socket;
    (void)error;
    return GROUP_JOINED;
}

wait_handle udp_socket_handle(const struct udp_socket *socket)
{
    return socket->handle;
}

struct address udp_socket_address(const struct udp_socket *socket)
{
    return socket->address;
}

size_t udp_socket_receive_buffer(const struct udp_socket *socket)
{
    return socket->options.receive_buffer;
}

void udp_socket_prefetch(const struct udp_socket *socket)
{
    (void)socket;
}

uint64_t udp_socket_errors(const struct udp_socket *socket)
{
    return socket->errors;
}

bool udp_socket_counts_drops(void)
{
    return true;
}

uint64_t udp_socket_drops(struct udp_socket *socket)
{
    world_step();
    all_drops += socket->drops - socket->drops_seen;
    socket->drops_seen = socket->drops;
    return socket->drops;
}

bool udp_socket_is_half_full(const struct udp_socket *socket)
{
    return socket->charged >= socket->options.receive_buffer;
}

bool udp_socket_refuse_all(struct udp_socket *socket)
{
    world_step();
    socket->refuses = true;
    return true;
}

void udp_socket_close(struct udp_socket *socket)
{
    if (socket == NULL)
        return;
    world_step();
    if (socket->was_watched)
        left_behind += socket->count;
    sockets[socket->handle - FIRST_HANDLE] = NULL;
    for (size_t i = 0; i < SOURCES_MOST; i++)
        if (chosen[i].socket == socket) {
            chosen[i].socket = NULL;
            chosen[i].closed = true;
        }
    free(socket);
}

/* --- receiving -------------------------------------------------------------------------------- */

struct sim_group {
    struct datagram_group group; /* must be first */
    struct datagram_buffers buffers;
    struct address destination;
};

size_t datagram_group_memory(void)
{
    return sizeof(struct sim_group) + datagram_buffers_memory();
}

struct datagram_group *datagram_group_create(void)
{
    struct sim_group *made = calloc(1, sizeof *made);
    if (made == NULL || !datagram_buffers_create(&made->buffers))
        return NULL;
    return &made->group;
}

void datagram_group_destroy(struct datagram_group *group)
{
    if (group == NULL)
        return;
    struct sim_group *made = (struct sim_group *)group;
    datagram_buffers_destroy(&made->buffers);
    free(made);
}

static struct queued *take(struct udp_socket *socket)
{
    struct queued *queued = socket->queue[socket->first];
    socket->first = (socket->first + 1) % QUEUE_MOST;
    socket->count--;
    socket->charged -= CHARGE + queued->size;
    return queued;
}

static void hand_out(struct udp_socket *socket, struct sim_group *group, size_t index)
{
    struct queued *queued = take(socket);
    size_t most = socket->options.max_datagram;
    uint32_t size = queued->size < most ? queued->size : (uint32_t)most;
    memcpy(datagram_front(&group->buffers, index), queued->bytes, size);
    group->group.slots[index] =
        (struct datagram_slot){.front = datagram_front(&group->buffers, index),
                               .rest = datagram_rest(&group->buffers, index),
                               .size = size,
                               .sent_size = queued->size,
                               .truncated = size < queued->size,
                               .source = queued->source,
                               .destination = &group->destination,
                               .received_ns = queued->received_ns};
    network_received(queued->number);
    free(queued);
}

enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *to,
                                       struct error *error)
{
    struct sim_group *group = (struct sim_group *)to;
    world_step();
    (void)error;
    to->count = 0;
    to->more = to->emptied = false;
    if (world_chance(faults.later))
        return RECEIVE_LATER;
    socket->errors += world_chance(faults.error);
    if (socket->count == 0) {
        socket->armed = socket->watched_by != NULL;
        return RECEIVE_WOULD_BLOCK;
    }
    size_t most = socket->count < DATAGRAM_GROUP_SIZE ? socket->count : DATAGRAM_GROUP_SIZE;
    size_t count = world_chance(100) ? 1 + (size_t)world_below(most) : most;
    group->destination = socket->address;
    for (size_t i = 0; i < count; i++)
        hand_out(socket, group, i);
    to->count = count;
    to->emptied = socket->count == 0 && count < DATAGRAM_GROUP_SIZE && world_chance(700);
    if (to->emptied)
        socket->armed = socket->watched_by != NULL;
    world_step();
    return RECEIVE_OK;
}

/* --- the notifier ----------------------------------------------------------------------------- */

struct sim_notifier {
    struct notifier base;
    bool woken;
    void *removed[SOCKETS_MOST];
    size_t removed_count;
};

static struct sim_notifier *of(struct notifier *notifier)
{
    return (struct sim_notifier *)notifier;
}

static int create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads;
    struct sim_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL)
        return error_no_memory(error);
    *out = &notifier->base;
    return 0;
}

static void destroy(struct notifier *notifier)
{
    free(notifier);
}

static int add(struct notifier *notifier, wait_handle handle, void *token, struct error *error)
{
    (void)error;
    world_step();
    struct udp_socket *socket = sockets[handle - FIRST_HANDLE];
    if (socket->bound)
        world_fail("a socket is bound before the notifier watches it");
    socket->watched_by = of(notifier);
    socket->was_watched = true;
    socket->token = token;
    socket->armed = true;
    return 0;
}

static int remove_socket(struct notifier *notifier, wait_handle handle, void *token,
                         struct error *error)
{
    (void)error;
    world_step();
    struct udp_socket *socket = sockets[handle - FIRST_HANDLE];
    socket->watched_by = NULL;
    socket->edge = socket->armed = false;
    of(notifier)->removed[of(notifier)->removed_count++] = token;
    return 0;
}

static void wake(struct notifier *notifier)
{
    world_step();
    of(notifier)->woken = true;
}

static bool has_event(const void *context)
{
    const struct sim_notifier *notifier = context;
    if (notifier->woken || notifier->removed_count != 0)
        return true;
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (sockets[i] != NULL && sockets[i]->watched_by == notifier && sockets[i]->edge)
            return true;
    return false;
}

static size_t wait_for_events(struct notifier *base, size_t thread, struct notifier_event *events,
                              size_t capacity, int timeout_ms)
{
    struct sim_notifier *notifier = of(base);
    size_t count = 0;
    (void)thread;
    while (count < capacity && notifier->removed_count != 0)
        events[count++] = (struct notifier_event){NOTIFIER_REMOVED,
                                                  notifier->removed[--notifier->removed_count], 0};
    int64_t until_ns = timeout_ms < 0 ? WORLD_NEVER : world_now_ns() + timeout_ms * MILLISECONDS;
    if (count != 0)
        world_step();
    else
        world_wait(has_event, notifier, until_ns);
    if (notifier->woken && count < capacity) {
        events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        notifier->woken = false;
    }
    for (size_t i = 0; i < SOCKETS_MOST && count < capacity; i++) {
        struct udp_socket *socket = sockets[i];
        if (socket == NULL || socket->watched_by != notifier ||
            !(socket->edge || world_chance(faults.needless)))
            continue;
        events[count++] = (struct notifier_event){NOTIFIER_READY, socket->token, 0};
        socket->edge = false;
    }
    return count;
}

static const struct notifier_backend simulated = {
    .name = "simulated",
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_socket,
    .wait = wait_for_events,
    .wake = wake,
};

const struct notifier_backend *const notifier_backends[] = {&simulated, NULL};
