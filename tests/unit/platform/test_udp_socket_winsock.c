/*
 * Tests udp_socket_receive() with results of Winsock that a test cannot cause (the test replaces
 * WSARecvMsg), and how a socket is opened.
 */
#include <stdbool.h>
#include <string.h>

#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

/* --- a WSARecvMsg that returns results from a list -------------------------------------------- */

#define DATAGRAM 0 /* a result: a datagram of four bytes; any other result is an error number */

static const int *answers; /* the last one is repeated */
static size_t answer_count;
static size_t asked;

static int WSAAPI answer(SOCKET socket, WSAMSG *message, DWORD *size, OVERLAPPED *overlapped,
                         LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    static const SOCKADDR_IN source = {.sin_family = AF_INET};
    (void)socket;
    (void)overlapped;
    (void)routine;
    int code = answers[asked < answer_count ? asked : answer_count - 1];
    asked++;
    memcpy(message->name, &source, sizeof source);
    if (code == DATAGRAM) {
        memcpy(message->lpBuffers[0].buf, "four", 4);
        *size = 4;
        return 0;
    }
    WSASetLastError(code);
    return SOCKET_ERROR;
}

/* Replaces socket_lookup_receive of collector/platform/windows/socket_lookup.c. */
LPFN_WSARECVMSG socket_lookup_receive(SOCKET socket)
{
    (void)socket;
    return answer;
}

#define open_with_answers(receiving, ...)                                                          \
    do {                                                                                           \
        static const int told[] = {__VA_ARGS__};                                                   \
        answers = told;                                                                            \
        answer_count = sizeof told / sizeof told[0];                                               \
        asked = 0;                                                                                 \
        receiving_open(receiving, ADDRESS_IPV4, 100);                                              \
    } while (0)

static enum receive_result receive(struct receiving *receiving, struct error *error)
{
    return udp_socket_receive(receiving->socket, receiving->group, error);
}

/* --- errors that end a receive or do not ------------------------------------------------------ */

TEST_WITH(what_other_hosts_answer_is_counted_and_ends_nothing, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAECONNRESET, DATAGRAM, WSAENETRESET, WSAEHOSTUNREACH, DATAGRAM,
                      WSAENETUNREACH, WSAEWOULDBLOCK);
    assert_int_equal(receive(receiving, NULL), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 2);
    assert_int_equal(udp_socket_errors(receiving->socket), 4);
    assert_int_equal(receive(receiving, NULL), RECEIVE_WOULD_BLOCK);
    assert_int_equal(udp_socket_errors(receiving->socket), 4);
}

TEST_WITH(the_same_answer_again_and_again_leaves_the_thread_to_others, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAENETDOWN);
    assert_int_equal(receive(receiving, NULL), RECEIVE_LATER);
    assert_int_equal(receiving->group->count, 0);
    assert_int_equal(udp_socket_errors(receiving->socket), asked);
    assert_in_range(asked, 2, 1000);
}

TEST_WITH(a_datagram_that_the_system_cut_is_truncated_and_ends_nothing, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, DATAGRAM, WSAEMSGSIZE, DATAGRAM, WSAEWOULDBLOCK);
    assert_int_equal(receive(receiving, NULL), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 3);
    const struct datagram_slot *cut = &receiving->group->slots[1];
    assert_true(cut->truncated);
    assert_int_equal(cut->size, 100); /* the limit, max_datagram */
    assert_true(cut->sent_size > DATAGRAM_MAX_SIZE);
    assert_false(receiving->group->slots[2].truncated);
    assert_int_equal(receiving->group->slots[2].size, 4);
    assert_int_equal(udp_socket_errors(receiving->socket), 0);
}

TEST_WITH(a_moment_without_memory_is_for_later, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAENOBUFS, WSA_NOT_ENOUGH_MEMORY, DATAGRAM, WSAEWOULDBLOCK);
    assert_int_equal(receive(receiving, NULL), RECEIVE_LATER);
    assert_int_equal(receive(receiving, NULL), RECEIVE_LATER);
    assert_int_equal(receive(receiving, NULL), RECEIVE_OK);
    assert_int_equal(udp_socket_errors(receiving->socket), 2);
}

TEST_WITH(any_other_error_is_fatal_and_reported_by_text_and_number, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct error error = {.code = EXIT_CODE_OK};
    open_with_answers(receiving, WSAENOTSOCK);
    assert_int_equal(receive(receiving, &error), RECEIVE_FATAL);
    assert_int_equal(error.code, EXIT_CODE_IO);
    assert_non_null(strstr(error.text, "10038"));
}

/*
 * An error after a datagram ends the group, but the datagram is returned. The next receive calls
 * Winsock again, and does not return the earlier error.
 */
TEST_WITH(what_ends_a_group_leaves_it_to_its_datagrams, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct error error;
    open_with_answers(receiving, DATAGRAM, WSAENOBUFS, DATAGRAM, DATAGRAM, WSAEWOULDBLOCK, DATAGRAM,
                      WSAENOTSOCK);
    assert_int_equal(receive(receiving, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 1);
    assert_int_equal(receive(receiving, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 2);
    assert_int_equal(receive(receiving, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 1);
    assert_int_equal(receive(receiving, &error), RECEIVE_FATAL);
    assert_int_equal(receiving->group->count, 0);
}

TEST_WITH(a_full_group_ends_a_receive, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, DATAGRAM);
    assert_int_equal(receive(receiving, NULL), RECEIVE_OK);
    assert_int_equal(receiving->group->count, DATAGRAM_GROUP_SIZE);
    assert_int_equal(asked, DATAGRAM_GROUP_SIZE);
}

/* --- opening ---------------------------------------------------------------------------------- */

TEST_WITH(a_port_is_not_shared_with_whoever_asks_for_it, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAEWOULDBLOCK);
    BOOL on = FALSE;
    int on_size = sizeof on;
    assert_int_equal(getsockopt((SOCKET)udp_socket_handle(receiving->socket), SOL_SOCKET,
                                SO_EXCLUSIVEADDRUSE, (char *)&on, &on_size),
                     0);
    /* Without this option Wine would refuse the bind of the second socket. Windows would not. */
    assert_true(on);

    SOCKET thief = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    on = TRUE;
    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(&receiving->to, &name);
    assert_int_equal(setsockopt(thief, SOL_SOCKET, SO_REUSEADDR, (const char *)&on, sizeof on), 0);
    assert_int_equal(bind(thief, (const struct sockaddr *)&name, size), SOCKET_ERROR);
    closesocket(thief);
}

TEST_WITH(a_program_that_is_started_inherits_no_socket, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAEWOULDBLOCK);
    DWORD flags = HANDLE_FLAG_INHERIT;
    assert_true(GetHandleInformation((HANDLE)udp_socket_handle(receiving->socket), &flags));
    assert_int_equal(flags & HANDLE_FLAG_INHERIT, 0);
}

TEST_WITH(the_whole_buffer_that_is_asked_for_is_granted, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_answers(receiving, WSAEWOULDBLOCK);
    assert_int_equal(udp_socket_receive_buffer(receiving->socket), RECEIVING_BUFFER);
}
