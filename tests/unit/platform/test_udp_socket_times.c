/* Tests arrival times on a system without SO_TIMESTAMPNS. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/platform/clock.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

/*
 * The errno with which setsockopt refuses to report arrival times. 0 means that the kernel decides.
 */
static int refusal;

int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    if (level != SOL_SOCKET || name != SO_TIMESTAMPNS || refusal == 0)
        return __real_setsockopt(fd, level, name, value, size);
    errno = refusal;
    return -1;
}

static const struct udp_socket_options options = {
    .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
    .receive_buffer = RECEIVING_BUFFER,
    .max_datagram = DATAGRAM_MAX_SIZE};

TEST_WITH(without_times_of_the_kernel_the_time_of_the_receive_counts, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    refusal = ENOPROTOOPT;
    receiving_open_with(receiving, &options);
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    int64_t before = clock_wall_ns();
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_non_null(slot);
    assert_true(slot->received_ns >= before);
    assert_true(slot->received_ns <= clock_wall_ns());
}

TEST(another_error_is_reported)
{
    struct udp_socket *socket = NULL;
    struct error error;
    refusal = EPERM;
    assert_int_equal(udp_socket_open(&socket, &options, &error), -1);
    assert_non_null(strstr(error.text, "cannot set up a UDP socket"));
}
