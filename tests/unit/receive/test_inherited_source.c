/* Tests that settings that cannot be applied to a socket of the service manager are refused. */
#include <string.h>

#include "collector/receive/inherited_source.h"
#include "tests/support/test.h"

static char place[] = "one", network[] = "lo";

TEST(each_setting_of_binding_is_refused)
{
    const struct listener_config plain = {.place = place};
    assert_null(inherited_source_refuse(&plain));

    const struct listener_config by_interface = {.place = place, .interface = network};
    assert_non_null(strstr(inherited_source_refuse(&by_interface), "interface= and source="));
    const struct listener_config of_source = {.place = place,
                                              .group_source = {.family = ADDRESS_IPV4}};
    assert_non_null(strstr(inherited_source_refuse(&of_source), "interface= and source="));
    const struct listener_config spread = {.place = place, .spread = true};
    assert_non_null(strstr(inherited_source_refuse(&spread), "spread="));
    const struct listener_config ipv6_only = {.place = place, .ipv6_only = true};
    assert_non_null(strstr(inherited_source_refuse(&ipv6_only), "ipv6_only"));
}

TEST(listeners_with_equal_names_conflict)
{
    static char same[] = "one", other[] = "two";
    const struct listener_config one = {.place = place};
    const struct listener_config again = {.place = same};
    const struct listener_config another = {.place = other};
    assert_true(inherited_source_conflict(&one, &again));
    assert_false(inherited_source_conflict(&one, &another));
}
