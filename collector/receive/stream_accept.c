/*
 * The notifier reports a listening socket to one thread. This thread accepts at most ACCEPT_MOST
 * connections, and then arms the socket again, for any thread.
 *
 * AcceptEx is not used, although Microsoft recommends it on Windows for high accept rates. The
 * connections of a collector live long, and an overloaded collector should leave new ones in the
 * system's queue. Pending AcceptEx operations would accept connections even while all threads are
 * busy, while the server is quiescent for a reload, and after a stop has begun. Each pending
 * operation also keeps a socket open, and a stop would have to cancel all of them and wait for
 * them.
 *
 * AcceptEx also costs more: six system calls for each connection (socket, AcceptEx and
 * SO_UPDATE_ACCEPT_CONTEXT in place of accept) instead of four and a share of an arming.
 * Connections accepted, set up and closed per second, measured under Wine: 1,213 with one thread
 * and 1,012 with two; with AcceptEx and 32 pending operations, 825 and 649. The limits by address
 * do not matter for this choice: both ways accept a connection before its address is known.
 */
#include "collector/receive/stream_accept.h"

#include <stdlib.h>

#include "collector/base/networks.h"
#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/local_listener.h"
#include "collector/platform/notifier.h"
#include "collector/platform/service_manager.h"
#include "collector/platform/tcp.h"
#include "collector/platform/thread.h"
#include "collector/receive/stream_end.h"
#include "collector/receive/stream_server_parts.h"
#include "collector/receive/stream_slots.h"

/* A thread accepts at most this number of connections before it serves its other connections. */
#define ACCEPT_MOST 32

/*
 * The pause in nanoseconds after an accept failed because the system had no descriptor or memory
 * left.
 */
#define ACCEPT_PAUSE_NS INT64_C(100000000)

/* --- listening -------------------------------------------------------------------------------- */

static int watch_listening(struct stream_server *server, const struct listening *added,
                           struct error *error)
{
    RULE(server->options.inherited != NULL || server->listening_count == 0,
         "an address has one listening socket");
    struct listening *listening = &server->listening[server->listening_count++];
    *listening = *added;
    return notifier_watch(server->notifier, listening->socket, listening, NOTIFIER_IN, error);
}

static int listen_at_address(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    struct listening added = {0};
    added.socket = tcp_listener_open(&options->address, options->ipv6_only, &added.address, error);
    return added.socket == NO_HANDLE ? -1 : watch_listening(server, &added, error);
}

static int listen_at_path(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    struct listening added = {.address.family = ADDRESS_LOCAL};
    if (local_listener_open(&added.local, options->local, &options->access, error) != 0)
        return -1;
    added.socket = local_listener_handle(added.local);
    return watch_listening(server, &added, error);
}

/*
 * Refuses allow= and deny= for an inherited local socket, because its connections have no
 * addresses.
 */
static int check_inherited(const struct stream_server *server, const struct address *bound,
                           struct error *error)
{
    const struct listener *listener = server->options.listener;
    if (bound->family != ADDRESS_LOCAL || listener->senders == NULL)
        return 0;
    error_set(
        error, EXIT_CODE_CONFIG,
        "%s: allow= and deny= are for addresses, and the senders of a local socket have none; "
        "with systemd SocketMode= and SocketUser= say which users may connect",
        listener->name);
    return -1;
}

static void log_inherited(const struct stream_server *server, const struct listening *listening)
{
    char text[ADDRESS_TEXT_SIZE > LOCAL_NAME_TEXT_SIZE ? ADDRESS_TEXT_SIZE : LOCAL_NAME_TEXT_SIZE];
    if (listening->address.family == ADDRESS_LOCAL)
        local_listener_name(listening->socket, text);
    else
        address_format(&listening->address, text);
    log_about(LOG_INFO, LOG_OF_LISTENER, server->options.listener->name,
              "using an inherited socket bound to %s", text);
}

static int adopt_inherited(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    for (size_t i = 0; i < inherited_socket_count(); i++) {
        struct listening added = {0};
        struct error why;
        if (!inherited_socket_is(i, options->inherited))
            continue;
        added.socket = tcp_listener_adopt(inherited_socket_at(i).handle, &added.address, &why);
        if (added.socket == NO_HANDLE) {
            error_set(error, why.code, "%s: %s", options->listener->name, why.text);
            return -1;
        }
        if (watch_listening(server, &added, error) != 0 ||
            check_inherited(server, &added.address, error) != 0)
            return -1;
        log_inherited(server, &added);
    }
    return 0;
}

int stream_server_listen(struct stream_server *server, struct address *bound, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    const struct notifier_backend *backend = notifier_choose_for_streams(error);
    if (backend == NULL ||
        notifier_create(&server->notifier, backend, options->thread_count, error) != 0)
        return -1;
    server->listening = calloc(options->inherited != NULL ? inherited_socket_count() : 1,
                               sizeof *server->listening);
    if (server->listening == NULL)
        return error_no_memory(error);
    int result = options->inherited != NULL ? adopt_inherited(server, error)
                 : options->local != NULL   ? listen_at_path(server, error)
                                            : listen_at_address(server, error);
    *bound = server->listening[0].address;
    return result;
}

/* --- accepting -------------------------------------------------------------------------------- */

static void refuse_connection(struct worker *worker, wait_handle socket, const struct address *peer,
                              struct counter *why)
{
    const struct ingest_counters *counters = worker->stream.counters;
    const char *what = NULL;
    counter_add(why, 1);
    if (why == &counters->over_limit)
        what = "refused: max_connections= are open already";
    else if (why == &counters->over_address_limit)
        what = peer->family == ADDRESS_LOCAL
                   ? "refused: its user has max_connections_per_address= open already"
                   : "refused: its address has max_connections_per_address= open already";
    else if (why == &counters->tls_failed)
        what = "refused: not enough memory for TLS";
    if (what != NULL)
        stream_server_log_about(worker, &worker->refusal_log, peer, what);
    tcp_connection_close(socket);
}

static void admit_connection(struct worker *worker, const struct listening *from,
                             wait_handle socket, const struct address *peer)
{
    struct stream_server *server = worker->server;
    struct ingest_counters *counters = worker->stream.counters;
    const struct networks *senders = server->options.listener->senders;
    const struct stream_limits *limits = &server->options.limits;
    bool of_host;
    counter_add(&counters->connections, 1);
    if (senders != NULL && !networks_hold(senders, peer)) {
        refuse_connection(worker, socket, peer, &counters->denied);
        return;
    }
    struct stream_slot *slot = stream_slots_acquire(&server->slots, peer, limits->max_connections,
                                                    limits->max_per_address, &of_host);
    if (slot == NULL) {
        refuse_connection(worker, socket, peer,
                          of_host ? &counters->over_address_limit : &counters->over_limit);
        return;
    }
    if (!stream_connection_begin(&slot->connection, socket, peer, &slot->network->share,
                                 clock_monotonic_ns(), &server->settings)) {
        stream_slots_release(&server->slots, slot);
        refuse_connection(worker, socket, peer, &counters->tls_failed);
        return;
    }
    slot->connection.own = &from->address;
    worker_scan_by(worker, slot->connection.due_ns);
    stream_slot_open(slot);
    if (stream_slot_arm(slot, server->notifier, NOTIFIER_IN | NOTIFIER_HANGUP, true)) {
        counter_add(&worker->stream.counters->unwatched, 1);
        stream_server_release(worker, slot);
    }
}

static void put_off(struct worker *worker, struct listening *listening, const struct error *error)
{
    uint64_t suppressed;
    counter_add(&worker->stream.counters->accept_errors, 1);
    listening->accept_ns = clock_monotonic_ns() + ACCEPT_PAUSE_NS;
    worker_scan_by(worker, listening->accept_ns);
    if (log_allowed(&worker->accept_log, &suppressed))
        log_about(LOG_ERROR, LOG_OF_LISTENER, worker->server->options.listener->name,
                  "%s; trying again", error->text);
}

/*
 * Accepts connections. The caller has the lock and the socket's event. Then arms the socket again;
 * after an error, later.
 */
static void accept_from_queue(struct worker *worker, struct listening *listening)
{
    struct stream_server *server = worker->server;
    struct error error;
    enum accept_result result = ACCEPT_OK;
    for (int i = 0; i < ACCEPT_MOST && result == ACCEPT_OK && !atomic_load(&server->stopping);
         i++) {
        wait_handle socket;
        struct address peer;
        result =
            tcp_connection_accept(listening->socket, DESCRIPTOR_OF_SENDER, &socket, &peer, &error);
        if (result == ACCEPT_OK)
            admit_connection(worker, listening, socket, &peer);
    }
    if (result == ACCEPT_NO_MEANS ||
        notifier_arm(server->notifier, listening->socket, listening, NOTIFIER_IN, &error) != 0)
        put_off(worker, listening, &error);
}

void stream_server_accept(struct worker *worker, struct listening *listening)
{
    struct stream_server *server = worker->server;
    mutex_lock(server->accept_lock);
    if (listening->socket != NO_HANDLE)
        accept_from_queue(worker, listening);
    mutex_unlock(server->accept_lock);
}

/*
 * Does nothing: local_listener_close closes the socket next. The registration has already ended,
 * because systems with local sockets end it at once.
 */
static void leave_to_local_listener(wait_handle socket)
{
    (void)socket;
}

static void close_listening(const struct stream_server *server, struct listening *listening)
{
    struct error error;
    notifier_unwatch(server->notifier, listening->socket,
                     listening->local != NULL ? leave_to_local_listener : tcp_listener_close);
    if (listening->local != NULL && local_listener_close(listening->local, &error) != 0)
        log_about(LOG_WARNING, LOG_OF_LISTENER, server->options.listener->name, "%s", error.text);
    listening->local = NULL;
    listening->socket = NO_HANDLE;
}

void stream_server_stop_listening(struct stream_server *server)
{
    mutex_lock(server->accept_lock);
    for (size_t i = 0; i < server->listening_count; i++)
        if (server->listening[i].socket != NO_HANDLE)
            close_listening(server, &server->listening[i]);
    mutex_unlock(server->accept_lock);
}

int64_t stream_server_accept_again(struct worker *worker, int64_t now_ns)
{
    int64_t next_ns = INT64_MAX;
    struct stream_server *server = worker->server;
    struct error error;
    mutex_lock(server->accept_lock);
    for (size_t i = 0; i < server->listening_count; i++) {
        struct listening *listening = &server->listening[i];
        if (listening->accept_ns == 0 || now_ns < listening->accept_ns)
            continue;
        listening->accept_ns = 0;
        if (listening->socket != NO_HANDLE &&
            notifier_arm(server->notifier, listening->socket, listening, NOTIFIER_IN, &error) != 0)
            put_off(worker, listening, &error);
    }
    for (size_t i = 0; i < server->listening_count; i++)
        if (server->listening[i].accept_ns != 0 && server->listening[i].accept_ns < next_ns)
            next_ns = server->listening[i].accept_ns;
    mutex_unlock(server->accept_lock);
    return next_ns;
}
