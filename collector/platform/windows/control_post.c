#include "collector/platform/windows/control_post.h"

static struct {
    SRWLOCK lock;
    CONDITION_VARIABLE ended;
    struct control_posted *to;
} present = {SRWLOCK_INIT, CONDITION_VARIABLE_INIT, NULL};

void control_post_to(struct control_posted *to)
{
    AcquireSRWLockExclusive(&present.lock);
    present.to = to;
    ReleaseSRWLockExclusive(&present.lock);
    if (to == NULL)
        WakeAllConditionVariable(&present.ended);
}

static bool post(enum control_event event, bool again)
{
    size_t kind = control_kind(event);
    AcquireSRWLockShared(&present.lock);
    bool posted = present.to != NULL && kind < CONTROL_KINDS;
    if (posted && (InterlockedExchange(&present.to->any[kind], 1) == 0 || again))
        posted = ReleaseSemaphore(present.to->semaphores[kind], 1, NULL);
    ReleaseSRWLockShared(&present.lock);
    return posted;
}

bool control_post(enum control_event event)
{
    return post(event, true);
}

bool control_post_first(enum control_event event)
{
    return post(event, false);
}

void control_await_end(unsigned long most_ms)
{
    ULONGLONG begin = GetTickCount64();
    AcquireSRWLockShared(&present.lock);
    while (present.to != NULL) {
        ULONGLONG passed = GetTickCount64() - begin;
        if (passed >= most_ms)
            break;
        SleepConditionVariableSRW(&present.ended, &present.lock, (DWORD)(most_ms - passed),
                                  CONDITION_VARIABLE_LOCKMODE_SHARED);
    }
    ReleaseSRWLockShared(&present.lock);
}
