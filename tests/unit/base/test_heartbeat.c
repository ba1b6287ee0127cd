/* Whether a thread comes round, as another one sees it. */

#include "collector/base/heartbeat.h"
#include "tests/support/test.h"

TEST(who_has_not_begun_waits)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_true(heartbeat_advanced(&heartbeat, &seen));
}

TEST(who_waits_is_felt_however_long_that_takes)
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

TEST(who_works_on_without_a_new_turn_is_not_felt)
{
    struct heartbeat heartbeat = {0};
    uint64_t seen = 0;
    heartbeat_work(&heartbeat);
    assert_true(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
    assert_false(heartbeat_advanced(&heartbeat, &seen));
}

TEST(who_begins_another_turn_is_felt_whether_it_has_waited_or_not)
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
