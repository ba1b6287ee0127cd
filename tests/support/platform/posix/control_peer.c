/* Implements tests/support/platform/control_peer.h with local sockets (unix(7)). */
#include "tests/support/platform/control_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

struct control_peer {
    int fd;
};

int control_peer_set_up(void **state)
{
    return scratch_make(state);
}

int control_peer_tear_down(void **state)
{
    return scratch_remove(state);
}

const char *control_peer_address(void)
{
    static char address[256];
    snprintf(address, sizeof address, "unix:%s", scratch_path("control"));
    return address;
}

struct control_peer *control_peer_connect(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = 10};
    struct control_peer *made = malloc(sizeof *made);
    assert_non_null(made);
    assert_true(strlen(address) < sizeof to.sun_path);
    strcpy(to.sun_path, strchr(address, ':') + 1);
    made->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(made->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(made->fd, (const struct sockaddr *)&to, sizeof to), 0);
    return made;
}

void control_peer_send(struct control_peer *peer, const void *bytes, size_t size)
{
    assert_int_equal(send(peer->fd, bytes, size, MSG_NOSIGNAL), size);
}

size_t control_peer_receive(struct control_peer *peer, void *bytes, size_t size)
{
    ssize_t got = recv(peer->fd, bytes, size, 0);
    assert_true(got >= 0);
    return (size_t)got;
}

void control_peer_close(struct control_peer *peer)
{
    close(peer->fd);
    free(peer);
}
