/*
 * Implements the threads, mutexes and conditions of ISO C11 (7.26) with those of POSIX, for
 * programs under the thread sanitizer. The sanitizer supports only POSIX threads, and librdkafka
 * uses C11 threads. A program that exports these names replaces the C library's functions. The
 * types stay those of the C library, which are large enough for those of POSIX.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "one is in the place of the other");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "one is in the place of the other");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "one is in the place of the other");

static int status_of(int number)
{
    return number == 0           ? thrd_success
           : number == ETIMEDOUT ? thrd_timedout
           : number == EBUSY     ? thrd_busy
           : number == ENOMEM    ? thrd_nomem
                                 : thrd_error;
}

struct start {
    thrd_start_t function;
    void *argument;
};

static void *run(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return thrd_nomem;
    *start = (struct start){function, argument};
    int number = pthread_create(thread, NULL, run, start);
    if (number != 0)
        free(start);
    return status_of(number);
}

int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int number = pthread_join(thread, &value);
    if (number == 0 && result != NULL)
        *result = (int)(intptr_t)value;
    return status_of(number);
}

int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE
                                                                       : PTHREAD_MUTEX_NORMAL);
    int number = pthread_mutex_init((pthread_mutex_t *)mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return status_of(number);
}

void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return status_of(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int mtx_unlock(mtx_t *mutex)
{
    return status_of(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

int cnd_init(cnd_t *condition)
{
    return status_of(pthread_cond_init((pthread_cond_t *)condition, NULL));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy((pthread_cond_t *)condition);
}

int cnd_signal(cnd_t *condition)
{
    return status_of(pthread_cond_signal((pthread_cond_t *)condition));
}

int cnd_broadcast(cnd_t *condition)
{
    return status_of(pthread_cond_broadcast((pthread_cond_t *)condition));
}

int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return status_of(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                  const struct timespec *restrict until)
{
    return status_of(
        pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until));
}
