/*
 * Contract tests of the notifier for waits with room for more events than come. They are for
 * backends that show an event as soon as a datagram has arrived, without another thread.
 */

#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

/*
 * A wait that returns fewer events than it has room for must have reported each socket that was
 * ready.
 */
TEST_WITH(a_wait_with_room_left_has_reported_all, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    settle();
    for (size_t round = 1; round <= 20; round++) {
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            send_to(&watching.watched[i], "x", 1);
        assert_in_range(wait_once(MANY_EVENTS, PATIENCE_MS), 1, MANY_EVENTS - 1);
        for (size_t i = 0; i < MAX_SOCKETS; i++) {
            assert_int_not_equal(watching.watched[i].ready, watching.watched[i].served);
            drain(&watching.watched[i]);
            assert_int_equal(watching.watched[i].received, round);
        }
    }
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    return test_run_all(watching_backend->name);
}
