/* Tests the rules of collector/config/key_table.h: breaking one aborts the program. */
#include "collector/config/key_table.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

#define TABLES 16 /* one more than the scopes of own keys */

static const struct setting tables[TABLES][1];

static void add_own(size_t count)
{
    struct destination_ops made[TABLES];
    const struct destination_ops *destinations[TABLES + 1] = {NULL};
    for (size_t i = 0; i < count; i++) {
        made[i] = (struct destination_ops){.scheme = "made", .own_keys = tables[i]};
        destinations[i] = &made[i];
    }
    key_table_add_own(destinations);
    for (size_t i = 0; i < count; i++)
        assert_true(key_table_own_scope(destinations[i]) != 0);
}

static void add_too_many(void)
{
    add_own(TABLES);
}

TEST(no_more_tables_of_own_keys_are_added_than_there_are_scopes)
{
    assert_aborts(add_too_many);
    add_own(TABLES - 1);
}
