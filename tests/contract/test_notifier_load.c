/*
 * Several threads share one notifier and many sockets. As in the receiver, a thread serves a socket
 * only while it holds the socket's claim. All datagrams of a burst must be received before the next
 * burst is sent, so a lost event makes the test fail.
 *
 * Arguments: BACKEND [DATAGRAMS].
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/claim.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

#define THREADS 4
#define SOCKETS 70

/*
 * The datagrams of a burst go to random sockets. The size of a burst is one of 1, 2, 4 ... 1024, so
 * that a socket's datagrams fit in any receive buffer.
 */
#define BURST_SIZES 11

static size_t datagrams = 20000;

/* A socket. The thread that holds `claim` owns the other members. */
struct port {
    struct claim claim;
    struct udp_socket *socket;
    struct port *next_ready;
    uint32_t last; /* number of the last received datagram */
};

static struct load {
    struct port ports[SOCKETS];
    atomic_size_t wanted; /* number of datagrams that were sent or are about to be */
    atomic_size_t received;
    atomic_size_t disordered;
    atomic_size_t fatal;
    atomic_size_t marked; /* claims that could not be released because another event had come */
    atomic_bool stopping;
    struct wakeup *whole; /* signalled when all datagrams have arrived */
} load;

struct server {
    size_t number;
    struct thread *thread;
    struct datagram_group *group;
    struct port *ready; /* claimed sockets that must be drained */
    size_t served;
};

static void take_numbers(struct port *port, const struct datagram_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        uint32_t number;
        memcpy(&number, group->slots[i].front, sizeof number);
        atomic_fetch_add(&load.disordered, number <= port->last);
        port->last = number;
    }
    if (atomic_fetch_add(&load.received, group->count) + group->count == atomic_load(&load.wanted))
        wakeup_signal(load.whole);
}

/*
 * Waits for 2 ms, as a receiver that seals a batch after a receive would block and before it
 * releases the claim. Datagrams that come in this time are reported to other threads.
 */
static void seal(void)
{
    int64_t end = clock_monotonic_ns() + 2000000;
    while (clock_monotonic_ns() < end)
        this_thread_yield();
}

/*
 * Receives one group of datagrams, which is as much as one turn may receive. Returns true if this
 * thread must serve the socket again.
 */
static bool serve(struct server *server, struct port *port)
{
    struct error error;
    enum receive_result result = udp_socket_receive(port->socket, server->group, &error);
    if (result == RECEIVE_OK) {
        take_numbers(port, server->group);
        return true;
    }
    atomic_fetch_add(&load.fatal, result != RECEIVE_WOULD_BLOCK);
    if (server->served % 8 == 0)
        seal();
    bool marked = !claim_give_up(&port->claim);
    atomic_fetch_add(&load.marked, marked);
    return marked;
}

static void serve_ready(struct server *server)
{
    struct port *port = server->ready;
    server->ready = NULL;
    while (port != NULL) {
        struct port *next = port->next_ready; /* serve() may release the claim; then another thread
                                                 may use the socket */
        server->served++;
        if (serve(server, port)) {
            port->next_ready = server->ready;
            server->ready = port;
        }
        port = next;
    }
}

static void run(void *argument)
{
    struct server *server = argument;
    while (!atomic_load(&load.stopping)) {
        struct notifier_event event;
        size_t count = notifier_wait(watching.notifier, server->number, &event, 1,
                                     server->ready != NULL ? 0 : -1);
        struct port *port = event.token;
        if (count == 1 && event.type == NOTIFIER_READY && claim_take_or_mark(&port->claim)) {
            port->next_ready = server->ready;
            server->ready = port;
        }
        serve_ready(server);
    }
    notifier_wake(watching.notifier); /* pass the wake-up on to the next thread */
}

static void open_ports(void)
{
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = (size_t)4 * 1024 * 1024,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    for (size_t i = 0; i < SOCKETS; i++) {
        struct port *port = &load.ports[i];
        struct error error;
        claim_init(&port->claim);
        if (udp_socket_open(&port->socket, &options, &error) != 0 ||
            notifier_add(watching.notifier, udp_socket_handle(port->socket), port, &error) != 0 ||
            udp_socket_bind(port->socket, &error) != 0)
            fail_msg("%s", error.text);
    }
}

static void send_burst(size_t from, size_t count, uint64_t *random)
{
    atomic_store(&load.wanted, from + count);
    for (size_t i = 1; i <= count; i++) {
        uint32_t number = (uint32_t)(from + i);
        struct address to = udp_socket_address(load.ports[next_random(random) % SOCKETS].socket);
        udp_sender_send(watching.sender, &to, &number, sizeof number);
    }
}

static size_t send_bursts(size_t *bursts)
{
    uint64_t random = 1;
    size_t whole = 0;
    *bursts = 0;
    for (size_t sent = 0; sent < datagrams && whole == *bursts; (*bursts)++) {
        size_t count = (size_t)1 << next_random(&random) % BURST_SIZES;
        if (count > datagrams - sent)
            count = datagrams - sent;
        send_burst(sent, count, &random);
        sent += count;
        int64_t give_up = patience_until();
        while (atomic_load(&load.received) < sent && clock_monotonic_ns() < give_up)
            wakeup_wait(load.whole, NO_HANDLE, false, 1000);
        whole += atomic_load(&load.received) == sent;
    }
    return whole;
}

TEST_WITH(every_burst_is_received_whole_and_in_order, watching_set_up, watching_tear_down)
{
    (void)state;
    static struct server servers[THREADS];
    struct error error;
    notifier_destroy(watching.notifier);
    assert_int_equal(notifier_create(&watching.notifier, watching_backend, THREADS, &error), 0);
    assert_int_equal(wakeup_create(&load.whole, &error), 0);
    open_ports();
    for (size_t i = 0; i < THREADS; i++) {
        servers[i] = (struct server){.number = i, .group = datagram_group_create()};
        assert_non_null(servers[i].group);
        assert_int_equal(thread_start(&servers[i].thread, "server", run, &servers[i], &error), 0);
    }
    size_t bursts;
    size_t whole = send_bursts(&bursts);
    atomic_store(&load.stopping, true);
    notifier_wake(watching.notifier);
    for (size_t i = 0; i < THREADS; i++) {
        thread_join(servers[i].thread);
        datagram_group_destroy(servers[i].group);
        printf("thread %zu served a socket %zu times\n", i, servers[i].served);
    }
    printf("%zu datagrams in %zu bursts, %zu claims marked\n", atomic_load(&load.received), bursts,
           atomic_load(&load.marked));
    for (size_t i = 0; i < SOCKETS; i++)
        udp_socket_close(load.ports[i].socket);
    wakeup_destroy(load.whole);
    assert_int_equal(whole, bursts);
    assert_int_equal(load.received, datagrams);
    assert_int_equal(load.disordered, 0);
    assert_int_equal(load.fatal, 0);
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc < 2 ? argc : 2, argv))
        return 64;
    if (argc > 2)
        datagrams = strtoul(argv[2], NULL, 10);
    return test_run_all(watching_backend->name);
}
