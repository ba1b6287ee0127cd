/* Whether a thread comes round, as another one sees it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/base/pulse.h"

static void who_has_not_begun_waits(void **state)
{
    (void)state;
    struct pulse pulse = {0};
    uint64_t seen = 0;
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_true(pulse_is_felt(&pulse, &seen));
}

static void who_waits_is_felt_however_long_that_takes(void **state)
{
    (void)state;
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

static void who_works_on_without_a_new_turn_is_not_felt(void **state)
{
    (void)state;
    struct pulse pulse = {0};
    uint64_t seen = 0;
    pulse_work(&pulse);
    assert_true(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
    assert_false(pulse_is_felt(&pulse, &seen));
}

static void who_begins_another_turn_is_felt_whether_it_has_waited_or_not(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_not_begun_waits),
        cmocka_unit_test(who_waits_is_felt_however_long_that_takes),
        cmocka_unit_test(who_works_on_without_a_new_turn_is_not_felt),
        cmocka_unit_test(who_begins_another_turn_is_felt_whether_it_has_waited_or_not),
    };
    return cmocka_run_group_tests_name("pulse", tests, NULL, NULL);
}
