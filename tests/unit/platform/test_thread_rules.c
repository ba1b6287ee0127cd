#include "collector/platform/thread.h"

#include <sched.h>
#include <stdatomic.h>

#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static struct mutex *mutex;

UNCHECKED_LOCK static void hold(void *argument)
{
    (void)argument;
    mutex_lock(mutex);
}

static void make_held(void)
{
    struct thread *thread;
    struct error error;
    mutex = mutex_create();
    if (mutex == NULL || thread_start(&thread, "holder", hold, NULL, &error) != 0)
        _exit(1);
    thread_join(thread);
}

UNCHECKED_LOCK static void unlock_for_another(void)
{
    make_held();
    mutex_unlock(mutex);
}

UNCHECKED_LOCK static void unlock_twice(void)
{
    mutex = mutex_create();
    mutex_lock(mutex);
    mutex_unlock(mutex);
    mutex_unlock(mutex);
}

static void destroy_held(void)
{
    make_held();
    mutex_destroy(mutex);
}

TEST(a_mutex_is_unlocked_by_its_holder)
{
    assert_aborts(unlock_for_another);
    assert_aborts(unlock_twice);
}

TEST(a_mutex_that_is_destroyed_is_not_held)
{
    assert_aborts(destroy_held);
}

static struct thread *self;
static atomic_bool started;

static void join_self(void *argument)
{
    (void)argument;
    while (!atomic_load(&started))
        sched_yield();
    thread_join(self);
}

static void thread_joins_itself(void)
{
    struct error error;
    if (thread_start(&self, "self", join_self, NULL, &error) != 0)
        _exit(1);
    atomic_store(&started, true);
    for (;;)
        pause();
}

TEST(a_thread_does_not_join_itself)
{
    assert_aborts(thread_joins_itself);
}
