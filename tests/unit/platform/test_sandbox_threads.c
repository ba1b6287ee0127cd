/*
 * Tests calls in all threads (collector/platform/linux/sandbox_threads.h). A thread that the call
 * does not reach, or in which it fails, is counted.
 */
#include "collector/platform/linux/sandbox_threads.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/sandbox.h"
#include "tests/support/test.h"

#define THREADS_MOST 300
#define STACK_SIZE   (64 * 1024)

int __real_closedir(DIR *folder);
int __wrap_closedir(DIR *folder);

static pthread_t threads[THREADS_MOST];
static size_t started;
static size_t starts_until; /* each closed folder starts a thread, up to this number of threads */
static int ends[2];
static atomic_size_t calls;

/*
 * A build with a sanitizer is not supported, because the signals could reach a thread of the
 * sanitizer.
 */
static bool is_supported(void)
{
    struct sandbox_state state;
    sandbox_support(&state);
    return state.level != SANDBOX_LEVEL_OFF;
}

static void *wait_for_the_end(void *context)
{
    char byte;
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    return context;
}

static void start_thread(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    assert_in_range(started, 0, THREADS_MOST - 1);
    assert_int_equal(pthread_create(&threads[started], &attributes, wait_for_the_end, NULL), 0);
    pthread_attr_destroy(&attributes);
    started++;
}

static void start_threads(size_t count)
{
    assert_int_equal(pipe(ends), 0);
    atomic_store(&calls, 0);
    for (size_t i = 0; i < count; i++)
        start_thread();
}

static void end_threads(void)
{
    close(ends[1]);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    close(ends[0]);
    started = 0;
}

int __wrap_closedir(DIR *folder)
{
    int result = __real_closedir(folder);
    if (started < starts_until)
        start_thread();
    return result;
}

static int count_call(void *context)
{
    (void)context;
    atomic_fetch_add(&calls, 1);
    return 0;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

/*
 * Two threads call this. The first call returns only when the second one runs, which is after the
 * time for the first one. The second call fails.
 */
static int return_late(void *context)
{
    (void)context;
    if (atomic_fetch_add(&calls, 1) == 0) {
        while (atomic_load(&calls) < 2)
            pause_ms(1);
        return 0;
    }
    pause_ms(100);
    errno = EPERM;
    return -1;
}

TEST(a_late_result_does_not_count_for_another_thread)
{
    if (!is_supported())
        return;
    start_threads(2);
    assert_int_equal(sandbox_threads_run(return_late, NULL), 2);
    end_threads();
}

TEST(each_other_thread_makes_the_call)
{
    if (!is_supported())
        return;
    start_threads(20);
    assert_int_equal(sandbox_threads_run(count_call, NULL), 0);
    assert_int_equal(calls, 20);
    end_threads();
}

TEST(threads_that_begin_during_the_call_are_reached)
{
    if (!is_supported())
        return;
    start_threads(1);
    starts_until = 10;
    assert_int_equal(sandbox_threads_run(count_call, NULL), 0);
    starts_until = 0;
    assert_int_equal(started, 10);
    assert_int_equal(calls, 10);
    end_threads();
}

TEST(more_threads_than_can_be_reached_have_failed)
{
    if (!is_supported())
        return;
    start_threads(THREADS_MOST);
    size_t failed = sandbox_threads_run(count_call, NULL);
    assert_true(failed != 0);
    assert_int_equal(failed + calls, THREADS_MOST);
    end_threads();
}

TEST(a_thread_that_begins_after_the_last_pass_has_failed)
{
    if (!is_supported())
        return;
    start_threads(1);
    starts_until = 17; /* the passes are 16 */
    size_t failed = sandbox_threads_run(count_call, NULL);
    starts_until = 0;
    assert_int_equal(started, 17);
    assert_int_equal(calls, 16);
    assert_int_equal(failed, 1);
    end_threads();
}
