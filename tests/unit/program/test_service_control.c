#include <string.h>

#include "collector/platform/control.h"
#include "collector/platform/windows/control_post.h"
#include "collector/program/windows/service_run.h"
#include "collector/program/windows/service_status.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define TOLD_MAX    16

static struct {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
    SERVICE_STATUS statuses[TOLD_MAX];
    size_t count;
} told;

static BOOL WINAPI note(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status)
{
    (void)handle;
    AcquireSRWLockExclusive(&told.lock);
    if (told.count < TOLD_MAX)
        told.statuses[told.count++] = *status;
    ReleaseSRWLockExclusive(&told.lock);
    WakeAllConditionVariable(&told.changed);
    return TRUE;
}

static void await_reports(size_t count)
{
    AcquireSRWLockExclusive(&told.lock);
    while (told.count < count)
        if (!SleepConditionVariableSRW(&told.changed, &told.lock, PATIENCE_MS, 0))
            break;
    size_t found = told.count;
    ReleaseSRWLockExclusive(&told.lock);
    if (found < count)
        fail_msg("only %zu of %zu were told", found, count);
}

static void assert_reported(size_t at, DWORD state, DWORD accepted)
{
    assert_true(at < told.count);
    assert_int_equal(told.statuses[at].dwServiceType, SERVICE_WIN32_OWN_PROCESS);
    assert_int_equal(told.statuses[at].dwCurrentState, state);
    assert_int_equal(told.statuses[at].dwControlsAccepted, accepted);
}

static struct control *control;

static int begin(void **state)
{
    struct error error;
    (void)state;
    memset(&told, 0, sizeof told);
    service_status_begin(NULL, note);
    return control_create(&control, &error);
}

static int end(void **state)
{
    (void)state;
    control_destroy(control);
    service_status_stopped(EXIT_CODE_OK);
    return 0;
}

static enum control_event next(void)
{
    return control_wait(control, NULL, 0, 0);
}

static DWORD order(DWORD code)
{
    return service_control(code, 0, NULL, NULL);
}

/* --- controls from the service manager -------------------------------------------------------- */

TEST_WITH(paramchange_is_a_reload, begin, end)
{
    (void)state;
    assert_int_equal(order(SERVICE_CONTROL_PARAMCHANGE), NO_ERROR);
    assert_int_equal(next(), CONTROL_REOPEN);
    assert_int_equal(next(), CONTROL_TIMEOUT);
}

TEST_WITH(code_128_asks_for_the_ledger, begin, end)
{
    (void)state;
    assert_int_equal(order(128), NO_ERROR);
    assert_int_equal(order(128), NO_ERROR);
    assert_int_equal(next(), CONTROL_LEDGER);
    assert_int_equal(next(), CONTROL_LEDGER);
    assert_int_equal(next(), CONTROL_TIMEOUT);
}

TEST_WITH(stop_and_shutdown_stop_it, begin, end)
{
    (void)state;
    assert_int_equal(order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_int_equal(next(), CONTROL_STOP);
    control_destroy(control);
    assert_int_equal(begin(NULL), 0);
    assert_int_equal(order(SERVICE_CONTROL_SHUTDOWN), NO_ERROR);
    assert_int_equal(next(), CONTROL_STOP);
}

/*
 * The system reports a stop and then a shutdown. If the second counted, it would be an immediate
 * stop.
 */
TEST_WITH(going_down_is_reported_twice_and_stops_it_once, begin, end)
{
    (void)state;
    assert_int_equal(order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_int_equal(order(SERVICE_CONTROL_SHUTDOWN), NO_ERROR);
    assert_true(control_post_first(CONTROL_STOP)); /* as the console handler does */
    assert_int_equal(next(), CONTROL_STOP);
    assert_int_equal(next(), CONTROL_TIMEOUT);
}

TEST_WITH(other_codes_are_none_of_ours, begin, end)
{
    (void)state;
    assert_int_equal(order(129), ERROR_CALL_NOT_IMPLEMENTED);
    assert_int_equal(order(SERVICE_CONTROL_PAUSE), ERROR_CALL_NOT_IMPLEMENTED);
    assert_int_equal(order(SERVICE_CONTROL_INTERROGATE), NO_ERROR);
    assert_int_equal(next(), CONTROL_TIMEOUT);
}

TEST_WITH(without_a_collector_there_is_nobody_to_notify, begin, end)
{
    (void)state;
    control_destroy(control);
    control = NULL;
    assert_int_equal(order(SERVICE_CONTROL_PARAMCHANGE), ERROR_SERVICE_CANNOT_ACCEPT_CTRL);
    assert_int_equal(order(128), ERROR_SERVICE_CANNOT_ACCEPT_CTRL);
    assert_int_equal(order(SERVICE_CONTROL_STOP), NO_ERROR);
}

/* --- reports to the service manager ----------------------------------------------------------- */

TEST_WITH(it_can_be_stopped_when_it_runs, begin, end)
{
    (void)state;
    service_status_running();
    assert_int_equal(told.count, 2);
    assert_reported(0, SERVICE_START_PENDING, 0);
    assert_true(told.statuses[0].dwWaitHint != 0);
    assert_reported(1, SERVICE_RUNNING,
                    SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE);
}

TEST_WITH(while_it_stops_it_says_that_it_goes_on, begin, end)
{
    (void)state;
    service_status_running();
    assert_int_equal(order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_reported(2, SERVICE_STOP_PENDING, 0);
    await_reports(5);
    for (size_t i = 3; i < 5; i++) {
        assert_reported(i, SERVICE_STOP_PENDING, 0);
        assert_int_equal(told.statuses[i].dwCheckPoint, told.statuses[i - 1].dwCheckPoint + 1);
        assert_true(told.statuses[i].dwWaitHint > 1000);
    }
    service_status_stopped(EXIT_CODE_OK);
    size_t count = told.count;
    assert_reported(count - 1, SERVICE_STOPPED, 0);
    assert_int_equal(told.statuses[count - 1].dwCheckPoint, 0);
    assert_int_equal(told.statuses[count - 1].dwWaitHint, 0);
}

TEST_WITH(a_second_stop_is_not_reported_again, begin, end)
{
    (void)state;
    service_status_running();
    service_status_stopping();
    service_status_stopping();
    service_status_stopped(EXIT_CODE_OK);
    assert_int_equal(told.count, 4);
}

TEST_WITH(its_exit_code_is_reported, begin, end)
{
    (void)state;
    service_status_running();
    service_status_stopped(EXIT_CODE_OK);
    assert_reported(2, SERVICE_STOPPED, 0);
    assert_int_equal(told.statuses[2].dwWin32ExitCode, NO_ERROR);
    service_status_begin(NULL, note);
    service_status_stopped(EXIT_CODE_CANNOT_BIND);
    assert_reported(4, SERVICE_STOPPED, 0);
    assert_int_equal(told.statuses[4].dwWin32ExitCode, ERROR_SERVICE_SPECIFIC_ERROR);
    assert_int_equal(told.statuses[4].dwServiceSpecificExitCode, EXIT_CODE_CANNOT_BIND);
}
