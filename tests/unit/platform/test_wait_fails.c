/*
 * Tests that a wait that fails in the system is reported as a failure and not as an event, and that
 * a program whose signals cannot be blocked does not start.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/child.h"
#include "collector/platform/control.h"
#include "collector/platform/notifier.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

int __real_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __real_epoll_wait(int epoll, struct epoll_event *events, int room, int timeout_ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int room, int timeout_ms);

int __real_sigprocmask(int how, const sigset_t *set, sigset_t *before);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before);
int __real_pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

static int number; /* errno of the next `fails` calls */
static unsigned fails;

static bool fail_next(void)
{
    if (fails == 0)
        return false;
    fails--;
    errno = number;
    return true;
}

int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
    return fail_next() ? -1 : __real_poll(polled, count, timeout_ms);
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int room, int timeout_ms)
{
    return fail_next() ? -1 : __real_epoll_wait(epoll, events, room, timeout_ms);
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    return fail_next() ? -1 : __real_sigprocmask(how, set, before);
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return fail_next() ? number : __real_pthread_sigmask(how, set, before);
}

static void fail_by(int error_number, unsigned times)
{
    number = error_number;
    fails = times;
}

TEST(a_sleep_that_fails_is_not_a_timeout)
{
    struct wakeup *wakeup;
    struct error error;
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    fail_by(ENOMEM, 1);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, -1), WAKEUP_FAILED);
    fail_by(EINTR, 1);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, -1), WAKEUP_TIMEOUT);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, 0), WAKEUP_TIMEOUT);
    wakeup_destroy(wakeup);
}

TEST(the_main_thread_is_told)
{
    struct control *control;
    struct error error;
    assert_int_equal(control_create(&control, &error), 0);
    fail_by(ENOMEM, 1);
    assert_int_equal(control_wait(control, NULL, 0, -1), CONTROL_FAILED);
    control_notify(control);
    assert_int_equal(control_wait(control, NULL, 0, -1), CONTROL_NOTICE);
    control_destroy(control);
}

TEST(a_notifier_knows_nothing_of_its_sockets_then)
{
    const struct notifier_backend *backend = notifier_backends[0];
    for (size_t i = 0; strcmp(backend->name, "epoll") != 0; i++)
        backend = notifier_backends[i];
    struct notifier *notifier;
    struct notifier_event event;
    struct error error;
    assert_int_equal(notifier_create(&notifier, backend, 1, &error), 0);
    fail_by(ENOMEM, 1);
    assert_true(notifier_wait(notifier, 0, &event, 1, -1) == NOTIFIER_FAILED);
    fail_by(EINTR, 1);
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, -1), 0);
    notifier_wake(notifier);
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, -1), 1);
    notifier_destroy(notifier);
}

TEST(a_program_is_not_said_to_take_too_long)
{
    const char *const arguments[] = {TEST_PROGRAM_IN_PATH, NULL};
    const struct process_limits limits = {1024, INT64_C(30000000000)};
    struct process_output out;
    struct error error;
    fail_by(ENOMEM, 1);
    assert_int_equal(process_run(arguments, &limits, &out, &error), PROCESS_FAILED);
    assert_string_equal(error.text, "cannot be waited for: Cannot allocate memory");
    free(out.data);
}

/*
 * Closes the descriptor after 50 ms, which ends its lock. This acts as another program that
 * finishes its start.
 */
static void unlock_soon(void *argument)
{
    const struct timespec start = {.tv_nsec = 50000000};
    nanosleep(&start, NULL);
    close(*(int *)argument);
}

TEST_WITH(the_lock_of_a_control_socket_is_waited_for_without_poll, scratch_make, scratch_remove)
{
    struct control_socket *socket;
    struct thread *thread;
    struct error error;
    char address[4096];
    (void)state;
    snprintf(address, sizeof address, "unix:%s", scratch_path("control"));
    int lock = open(scratch_path("control.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(thread_start(&thread, "unlock", unlock_soon, &lock, &error), 0);
    fail_by(ENOMEM, 1000000);
    assert_int_equal(control_socket_open(&socket, address, &error), 0);
    fails = 0;
    thread_join(thread);
    control_socket_close(socket);
}

TEST(a_program_whose_signals_are_not_held_back_does_not_start)
{
    struct control *control;
    struct error error;
    fail_by(EPERM, 1);
    assert_int_equal(control_create(&control, &error), -1);
    assert_string_equal(error.text, "cannot wait for signals: Operation not permitted");
}

static void never(void *argument)
{
    *(bool *)argument = true;
}

TEST(nor_does_a_thread)
{
    struct thread *thread;
    struct error error;
    bool ran = false;
    fail_by(EINVAL, 1);
    assert_int_equal(thread_start(&thread, "test", never, &ran, &error), -1);
    assert_false(ran);
}
