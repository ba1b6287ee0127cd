#include "tests/support/platform/watching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/test.h"

#define SKIPPED 77 /* the exit code for a skipped test (tests/CMakeLists.txt) */

struct watching watching;
const struct notifier_backend *watching_backend;

bool watching_choose_backend(int argc, char **argv)
{
    for (size_t i = 0; notifier_backends[i] != NULL; i++)
        if (argc == 2 && strcmp(notifier_backends[i]->name, argv[1]) == 0)
            watching_backend = notifier_backends[i];
    if (watching_backend == NULL) {
        fprintf(stderr, "usage: %s BACKEND\n", argv[0]);
        return false;
    }
    if (!notifier_is_available(watching_backend)) {
        fprintf(stderr, "this system does not have %s\n", argv[1]);
        exit(SKIPPED);
    }
    return true;
}

int watching_set_up(void **state)
{
    (void)state;
    struct error error;
    memset(&watching, 0, sizeof watching);
    assert_int_equal(notifier_create(&watching.notifier, watching_backend, 1, &error), 0);
    watching.group = datagram_group_create();
    assert_non_null(watching.group);
    watching.sender = udp_sender_open(ADDRESS_IPV4);
    return 0;
}

int watching_tear_down(void **state)
{
    (void)state;
    notifier_destroy(watching.notifier);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        udp_socket_close(watching.watched[i].socket);
    datagram_group_destroy(watching.group);
    udp_sender_close(watching.sender);
    return 0;
}

void add_watched(struct watched *watched)
{
    struct error error;
    wait_handle handle = udp_socket_handle(watched->socket);
    if (notifier_add(watching.notifier, handle, watched, &error) != 0)
        fail_msg("%s", error.text);
}

struct watched *watch(size_t index, size_t max_datagram)
{
    struct watched *watched = &watching.watched[index];
    struct error error;
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = (size_t)4 * 1024 * 1024,
        .max_datagram = max_datagram,
    };
    if (udp_socket_open(&watched->socket, &options, &error) != 0)
        fail_msg("%s", error.text);
    add_watched(watched);
    return watched;
}

void bind_watched(struct watched *watched)
{
    struct error error;
    if (udp_socket_bind(watched->socket, &error) != 0)
        fail_msg("%s", error.text);
}

struct watched *watch_and_bind(size_t index)
{
    struct watched *watched = watch(index, DATAGRAM_MAX_SIZE);
    bind_watched(watched);
    return watched;
}

void send_to(const struct watched *watched, const void *bytes, size_t size)
{
    struct address to = udp_socket_address(watched->socket);
    udp_sender_send(watching.sender, &to, bytes, size);
}

size_t wait_once(size_t capacity, int timeout_ms)
{
    struct notifier_event events[MANY_EVENTS];
    size_t count = notifier_wait(watching.notifier, 0, events, capacity, timeout_ms);
    assert_in_range(count, 0, capacity);
    for (size_t i = 0; i < count; i++) {
        struct watched *watched = events[i].token;
        if (events[i].type == NOTIFIER_WOKEN) {
            watching.woken++;
            continue;
        }
        assert_in_range(watched - watching.watched, 0, MAX_SOCKETS - 1);
        assert_int_equal(watched->removed, 0); /* no event may follow REMOVED */
        watched->ready += events[i].type == NOTIFIER_READY;
        watched->removed += events[i].type == NOTIFIER_REMOVED;
    }
    return count;
}

void wait_until_counted(const size_t *counter, size_t wanted, const char *what, int line)
{
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    while (*counter < wanted) {
        wait_once(MANY_EVENTS, PATIENCE_MS);
        if (*counter < wanted && clock_monotonic_ns() >= give_up)
            fail_msg("line %d: %s is still %zu, not %zu", line, what, *counter, wanted);
    }
}

bool receive_group(struct watched *watched)
{
    struct error error;
    enum receive_result result = udp_socket_receive(watched->socket, watching.group, &error);
    if (result == RECEIVE_WOULD_BLOCK)
        return false;
    assert_int_equal(result, RECEIVE_OK);
    assert_in_range(watching.group->count, 1, DATAGRAM_GROUP_SIZE);
    watched->received += watching.group->count;
    for (size_t i = 0; i < watching.group->count; i++) {
        watched->truncated += watching.group->slots[i].truncated;
        watched->empty += watching.group->slots[i].sent_size == 0;
    }
    return true;
}

void drain(struct watched *watched)
{
    watched->served = watched->ready;
    while (receive_group(watched))
        ;
}

void receive_by_events(struct watched *watched, size_t wanted)
{
    while (watched->received < wanted) {
        wait_until(watched->ready, watched->served + 1);
        drain(watched);
    }
    assert_int_equal(watched->received, wanted);
}

void stop_watching(struct watched *watched)
{
    struct error error;
    if (notifier_remove(watching.notifier, udp_socket_handle(watched->socket), watched, &error) !=
        0)
        fail_msg("%s", error.text);
}

void settle(void)
{
    notifier_wake(watching.notifier);
    wait_until(watching.woken, watching.woken + 1);
    while (wait_once(MANY_EVENTS, 0) != 0)
        ;
}
