/* Whether a thread comes round, as another one sees it. */

#include "collector/base/pulse.h"
#include "tests/support/test.h"

TEST(who_has_not_begun_waits)
{
    struct pulse pulse = {0};
    uint64_t seen = 0;
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_true(pulse_is_felt(&pulse, &seen));
}

TEST(who_waits_is_felt_however_long_that_takes)
{
    struct pulse pulse = {0};
    uint64_t seen = 0;
    pulse_work(&pulse);
    pulse_wait(&pulse);
    for (int i = 0; i < 3; i++)
        assert_true(pulse_is_felt(&pulse, &seen));
    pulse_wait(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_true(pulse_is_felt(&pulse, &seen));
}

TEST(who_works_on_without_a_new_turn_is_not_felt)
{
    struct pulse pulse = {0};
    uint64_t seen = 0;
    pulse_work(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
}

TEST(who_begins_another_turn_is_felt_whether_it_has_waited_or_not)
{
    struct pulse pulse = {0};
    uint64_t seen = 0;
    pulse_work(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    pulse_work(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
    pulse_wait(&pulse);
    pulse_work(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
}
