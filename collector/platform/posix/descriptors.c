/* Implements the descriptors of collector/platform/process.h with setrlimit(2). */
#include "collector/platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "collector/base/rule.h"
#include "collector/platform/posix/lending.h"

/* How often a call is repeated if other threads took the lent descriptor. */
#define TIMES_MOST 3

/*
 * Threads other than the main thread use this only with the lock held. Exceptions are `all_lent`,
 * and `keeps`, which is set once.
 */
static struct {
    pthread_mutex_t lock;
    bool keeps;
    rlim_t before;                  /* soft limit that the process was started with */
    rlim_t set;                     /* soft limit that was set last */
    rlim_t always;                  /* soft limit while no descriptor is lent */
    rlim_t most[DESCRIPTOR_USES];   /* highest soft limit for each use */
    rlim_t now[DESCRIPTOR_USES];    /* the soft limit that this use now needs */
    unsigned lent[DESCRIPTOR_USES]; /* descriptors lent to calls that are being repeated */
    atomic_uint all_lent;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void descriptors_lock(void)
{
    pthread_mutex_lock(&kept.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&kept.lock);
}

/*
 * Sets the limit of this process (0) or of a program that it has started. Changes nothing if the
 * limit of this process was changed from outside, as by prlimit(1).
 */
static bool change(pid_t process, rlim_t soft)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != kept.set)
        return false;
    limit.rlim_cur = soft;
    return prlimit(process, RLIMIT_NOFILE, &limit, NULL) == 0;
}

static bool change_to(rlim_t soft)
{
    bool done = change(0, soft);
    kept.set = done ? soft : kept.set;
    return done;
}

static bool apply(void)
{
    rlim_t soft = kept.always;
    for (size_t use = 0; use < DESCRIPTOR_USES; use++)
        if (kept.lent[use] != 0 && kept.now[use] > soft)
            soft = kept.now[use];
    return change_to(soft);
}

static void descriptors_count(enum descriptor_use use, unsigned lent)
{
    atomic_fetch_add(&kept.all_lent, lent - kept.lent[use]);
    kept.lent[use] = lent;
}

/*
 * The limit applies to descriptor numbers, and the system assigns the lowest free number. Finds the
 * lowest limit below which enough numbers are free for all lent descriptors. Returns false if no
 * limit up to that of the use is enough.
 */
static bool find_free(enum descriptor_use use)
{
    unsigned wanted = atomic_load(&kept.all_lent);
    rlim_t number = kept.always;
    for (; number < kept.most[use] && wanted != 0; number++)
        wanted -= fcntl((int)number, F_GETFD) < 0;
    if (wanted != 0)
        return false;
    kept.now[use] = number;
    return true;
}

uint64_t descriptors_most(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
        return DESCRIPTORS_UNLIMITED;
    return limit.rlim_max;
}

static void descriptors_divide(rlim_t all, const uint64_t wanted[DESCRIPTOR_USES])
{
    const rlim_t most[DESCRIPTOR_USES] = {all / 4, all / 8, all / 8};
    kept.always = all;
    for (size_t use = DESCRIPTOR_USES; use-- != 0;) {
        kept.most[use] = kept.always;
        kept.always -= wanted[use] < most[use] ? wanted[use] : most[use];
    }
}

/*
 * Registers the lock for fork(2): in a process that is forked while another thread holds it, the
 * lock would never be released.
 */
static bool keeping_begin(const struct rlimit *limit)
{
    if (limit->rlim_max == RLIM_INFINITY || pthread_atfork(descriptors_lock, unlock, unlock) != 0)
        return false;
    kept.before = limit->rlim_cur;
    kept.set = limit->rlim_cur;
    kept.keeps = true;
    return true;
}

void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES])
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || (!kept.keeps && !keeping_begin(&limit)))
        return;
    descriptors_lock();
    descriptors_divide(limit.rlim_max, wanted);
    apply();
    unlock();
}

bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times)
{
    int number = errno;
    if (!kept.keeps || (*times)++ == TIMES_MOST)
        return false;
    RULE(use < DESCRIPTOR_USES && wanted != 0, "descriptors are lent for one of the uses");
    descriptors_lock();
    unsigned before = kept.lent[use];
    descriptors_count(use, before + wanted);
    bool done = find_free(use) && apply();
    if (!done)
        descriptors_count(use, before);
    unlock();
    errno = number;
    return done;
}

void descriptors_take_back(enum descriptor_use use, unsigned wanted)
{
    int number = errno;
    descriptors_lock();
    RULE(kept.lent[use] >= wanted, "no more descriptors are taken back than were lent");
    descriptors_count(use, kept.lent[use] - wanted);
    apply();
    unlock();
    errno = number;
}

bool lending_goes_on(void)
{
    return atomic_load(&kept.all_lent) != 0;
}

/*
 * A program inherits the limit that this process has at that moment. If the limit that this process
 * was started with is higher, raising it now would let other threads use the reserve, so
 * lending_go_on sets it for the program.
 */
void lending_stop_for_program(void)
{
    descriptors_lock();
    if (kept.keeps && kept.before < kept.always)
        change_to(kept.before);
}

void lending_go_on(pid_t program)
{
    if (kept.keeps) {
        apply();
        if (program > 0 && kept.before > kept.always)
            change(program, kept.before);
    }
    unlock();
}
