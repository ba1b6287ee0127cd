/* Implements struct mutex with POSIX threads. */
#include "collector/platform/thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "collector/base/rule.h"

struct mutex {
    pthread_mutex_t lock;
    struct rule_owner holder; /* the thread that holds the lock; written with the lock held */
};

struct mutex *mutex_create(void)
{
    struct mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex == NULL || pthread_mutex_init(&mutex->lock, NULL) == 0)
        return mutex;
    free(mutex);
    return NULL;
}

void mutex_destroy(struct mutex *mutex)
{
    if (mutex == NULL)
        return;
    RULE(mutex->holder.thread == NULL, "a mutex that is destroyed is not held");
    pthread_mutex_destroy(&mutex->lock);
    free(mutex);
}

UNCHECKED_LOCK void mutex_lock(struct mutex *mutex)
{
    pthread_mutex_lock(&mutex->lock);
    RULE(mutex->holder.thread == NULL && rule_is_owner(&mutex->holder),
         "one thread at a time holds a mutex");
}

UNCHECKED_LOCK void mutex_unlock(struct mutex *mutex)
{
    RULE(mutex->holder.thread != NULL && rule_is_owner(&mutex->holder),
         "a mutex is unlocked by the thread that holds it");
    mutex->holder = (struct rule_owner){NULL};
    pthread_mutex_unlock(&mutex->lock);
}
