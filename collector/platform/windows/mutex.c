/* Implements struct mutex with Windows' slim reader/writer locks. */
#include "collector/platform/thread.h"

#include <stdlib.h>
#include <windows.h>

#include "collector/base/rule.h"

struct mutex {
    SRWLOCK lock;
    struct rule_owner holder; /* the thread that holds the lock; written with the lock held */
};

struct mutex *mutex_create(void)
{
    struct mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex != NULL)
        InitializeSRWLock(&mutex->lock);
    return mutex;
}

void mutex_destroy(struct mutex *mutex)
{
    RULE(mutex == NULL || mutex->holder.thread == NULL, "a mutex that is destroyed is not held");
    free(mutex);
}

UNCHECKED_LOCK void mutex_lock(struct mutex *mutex)
{
    AcquireSRWLockExclusive(&mutex->lock);
    RULE(mutex->holder.thread == NULL && rule_is_owner(&mutex->holder),
         "one thread at a time holds a mutex");
}

UNCHECKED_LOCK void mutex_unlock(struct mutex *mutex)
{
    RULE(mutex->holder.thread != NULL && rule_is_owner(&mutex->holder),
         "a mutex is unlocked by the thread that holds it");
    mutex->holder = (struct rule_owner){NULL};
    ReleaseSRWLockExclusive(&mutex->lock);
}
