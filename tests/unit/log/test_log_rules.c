#include "collector/log/log.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static void begin_twice(void)
{
    const struct log_settings settings = {LOG_INFO, LOG_TEXT, 1000000000};
    struct error error;
    log_begin(&settings, &error);
    log_begin(&settings, &error);
}

TEST(the_log_begins_once)
{
    assert_aborts(begin_twice);
}
