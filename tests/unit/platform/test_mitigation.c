/*
 * Tests mitigation policies of Windows. Only those that can be read back count, and the one for
 * child processes is optional.
 */
#include "collector/platform/windows/mitigation.h"

#include <string.h>

#include "tests/support/test.h"

#define NUMBERS        20
#define CHILDREN       13 /* ProcessChildProcessPolicy */
#define GENERATED_CODE 2  /* ProcessDynamicCodePolicy */

static uint32_t in_force[NUMBERS];
static unsigned unknown; /* bit set of the policies that the system does not know */
static unsigned ignored; /* bit set of the policies that the system accepts without an effect */

static bool double_set(int policy, uint32_t flags)
{
    assert_in_range(policy, 0, NUMBERS - 1);
    if ((unknown & (1U << policy)) != 0)
        return false;
    if ((ignored & (1U << policy)) == 0)
        in_force[policy] |= flags;
    return true;
}

static uint32_t double_get(int policy)
{
    return in_force[policy];
}

static const struct mitigation_functions doubles = {double_set, double_get};

static void begin(unsigned not_known, unsigned without_effect)
{
    memset(in_force, 0, sizeof in_force);
    unknown = not_known;
    ignored = without_effect;
}

TEST(all_are_set_and_named)
{
    char text[192];
    begin(0, 0);
    assert_int_equal(mitigation_apply(&doubles, false, text, sizeof text), 5);
    assert_string_equal(text, "no generated code, no extension points, no remote images, no fonts "
                              "of others, no child processes");
}

TEST(children_stay_possible_for_commands)
{
    char text[192];
    begin(0, 0);
    assert_int_equal(mitigation_apply(&doubles, true, text, sizeof text), 4);
    assert_null(strstr(text, "child"));
    assert_int_equal(in_force[CHILDREN], 0);
}

TEST(a_policy_that_is_unknown_or_without_effect_is_not_named)
{
    char text[192];
    begin(1U << CHILDREN, 1U << GENERATED_CODE);
    assert_int_equal(mitigation_apply(&doubles, false, text, sizeof text), 3);
    assert_string_equal(text, "no extension points, no remote images, no fonts of others");
    begin(0, ~0U);
    assert_int_equal(mitigation_apply(&doubles, false, text, sizeof text), 0);
    assert_string_equal(text, "");
}

TEST(a_short_text_is_cut)
{
    char text[20];
    begin(0, 0);
    assert_int_equal(mitigation_apply(&doubles, false, text, sizeof text), 5);
    assert_string_equal(text, "no generated code, ");
}
