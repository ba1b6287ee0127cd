/* collector/platform/descriptors.h by setrlimit(2). */
#include "collector/platform/descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "collector/platform/posix/lending.h"

/* Locked, but for what is done before there are threads. */
static struct {
    pthread_mutex_t lock;
    bool keeps;
    rlim_t before;                  /* the soft limit that the process was started with */
    rlim_t set;                     /* the soft limit that was set last */
    rlim_t most[DESCRIPTOR_USES];   /* the soft limit while it is lent for this use */
    rlim_t always;                  /* and otherwise */
    unsigned lent[DESCRIPTOR_USES]; /* calls that are being made again */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    pthread_mutex_lock(&kept.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&kept.lock);
}

/* Whoever has changed it since from outside, as by prlimit(1), wants it so. */
static bool change_to(rlim_t soft)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != kept.set)
        return false;
    limit.rlim_cur = soft;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    kept.set = soft;
    return true;
}

static bool apply(void)
{
    rlim_t soft = kept.always;
    for (size_t use = 0; use < DESCRIPTOR_USES; use++)
        if (kept.lent[use] != 0)
            soft = kept.most[use];
    return change_to(soft);
}

uint64_t descriptors_most(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
        return DESCRIPTORS_UNLIMITED;
    return limit.rlim_max;
}

static void divide(rlim_t all, const uint64_t wanted[DESCRIPTOR_USES])
{
    const rlim_t most[DESCRIPTOR_USES] = {all / 4, all / 8, all / 8};
    kept.always = all;
    for (size_t use = DESCRIPTOR_USES; use-- != 0;) {
        kept.most[use] = kept.always;
        kept.always -= wanted[use] < most[use] ? wanted[use] : most[use];
    }
}

/* A process that is forked while a thread holds the lock could never have it. */
static bool begin(const struct rlimit *limit)
{
    if (limit->rlim_max == RLIM_INFINITY || pthread_atfork(lock, unlock, unlock) != 0)
        return false;
    kept.before = limit->rlim_cur;
    kept.set = limit->rlim_cur;
    kept.keeps = true;
    return true;
}

void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES])
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || (!kept.keeps && !begin(&limit)))
        return;
    lock();
    divide(limit.rlim_max, wanted);
    apply();
    unlock();
}

bool lending_begin(enum descriptor_use use)
{
    int number = errno;
    if (number != EMFILE || !kept.keeps)
        return false;
    lock();
    kept.lent[use]++;
    bool done = apply();
    if (!done)
        kept.lent[use]--;
    unlock();
    errno = number;
    return done;
}

void lending_end(enum descriptor_use use)
{
    int number = errno;
    lock();
    kept.lent[use]--;
    apply();
    unlock();
    errno = number;
}

void lending_stop_for_program(void)
{
    lock();
    if (kept.keeps)
        change_to(kept.before);
}

void lending_go_on(void)
{
    if (kept.keeps)
        apply();
    unlock();
}
