/* Tests the backends with ProcessSocketNotifications on a system that lacks it. */
#include <windows.h>

#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/test.h"

#define TIMES 2000

process_socket_notifications *__wrap_socket_lookup_notifications(void);

process_socket_notifications *__wrap_socket_lookup_notifications(void)
{
    return NULL;
}

/*
 * Returns the value of a new handle. Windows uses the values of closed handles again, so this value
 * grows by 4 with each handle that stays open. (Wine does not implement GetProcessHandleCount.)
 */
static uintptr_t next_handle(void)
{
    HANDLE event = CreateEventW(NULL, FALSE, FALSE, NULL);
    assert_non_null(event);
    CloseHandle(event);
    return (uintptr_t)event;
}

static void assert_leaves_no_handle(const struct notifier_backend *backend)
{
    struct notifier *notifier;
    struct error error = {.text = ""};
    assert_int_equal(backend->create(&notifier, 1, &error), -1);
    uintptr_t before = next_handle();
    for (int i = 0; i < TIMES; i++)
        assert_int_equal(backend->create(&notifier, 1, &error), -1);
    assert_true(error.text[0] != '\0');
    assert_true(next_handle() < before + 4 * TIMES / 2);
}

TEST(a_notifier_that_cannot_be_created_leaves_no_handle)
{
    assert_leaves_no_handle(&notifier_psn);
    assert_leaves_no_handle(&notifier_psn_streams);
    assert_leaves_no_handle(&notifier_psn_levels);
}
