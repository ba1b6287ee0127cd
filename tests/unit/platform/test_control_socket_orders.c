/* Tests that only the user that runs the program, and root, may give orders. */
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/control.h"
#include "tests/support/platform/control_peer.h"
#include "tests/support/test.h"

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

static struct {
    bool armed;
    bool unknown; /* the system does not report the user of the peer */
    uid_t user;   /* the user that runs the program */
    uid_t peer;
} said;

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    if (said.armed && said.unknown) {
        errno = ENOPROTOOPT;
        return -1;
    }
    int result = __real_getsockopt(fd, level, name, value, size);
    if (said.armed && result == 0 && level == SOL_SOCKET && name == SO_PEERCRED)
        ((struct ucred *)value)->uid = said.peer;
    return result;
}

uid_t __wrap_geteuid(void)
{
    return said.armed ? said.user : __real_geteuid();
}

static bool may_order(const struct control_connection *connection, uid_t user, uid_t peer)
{
    said.armed = true;
    said.user = user;
    said.peer = peer;
    bool may = control_connection_may_order(connection);
    said.armed = false;
    return may;
}

TEST_WITH(the_programs_user_and_root_may_order_and_nobody_else, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    struct control_socket *server;
    struct control_connection *connection;
    struct error error;
    if (control_socket_open(&server, control_peer_address(), &error) != 0)
        fail_msg("%s", error.text);
    struct control_peer *peer = control_peer_connect(control_peer_address());
    assert_int_equal(control_socket_accept(server, &connection), CONTROL_DONE);
    assert_true(may_order(connection, 1000, 1000));
    assert_true(may_order(connection, 1000, 0));
    assert_true(may_order(connection, 0, 0));
    assert_false(may_order(connection, 1000, 1001));
    assert_false(may_order(connection, 0, 1000));
    said.unknown = true;
    assert_false(may_order(connection, 1000, 1000));
    assert_false(may_order(connection, 0, 0));
    said.unknown = false;
    control_peer_close(peer);
    control_connection_close(connection);
    control_socket_close(server);
}
