#include "collector/base/heartbeat.h"
#include "tests/support/test.h"

TEST(a_thread_that_has_not_begun_counts_as_waiting)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_true(heartbeat_advanced(&heartbeat, &seen));
}

TEST(a_waiting_thread_is_always_alive)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    heartbeat_work(&heartbeat);
    heartbeat_wait(&heartbeat);
    for (int i = 0; i < 3; i++)
        assert_true(heartbeat_advanced(&heartbeat, &seen));
    heartbeat_wait(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_true(heartbeat_advanced(&heartbeat, &seen));
}

TEST(work_without_a_new_round_is_not_progress)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    heartbeat_work(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
}

TEST(a_new_round_is_progress_with_or_without_a_wait)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    heartbeat_work(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    heartbeat_work(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
    heartbeat_wait(&heartbeat);
    heartbeat_work(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
}
