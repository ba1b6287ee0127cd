#include "tests/faults/plan.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The C library's functions. The calls of this file are not counted. */
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
DIR *__real_opendir(const char *path);

extern const char __executable_start; /* the beginning of the program, defined by ld(1) */

/* Distributes keys over a table (Knuth, multiplicative hashing). */
#define SPREAD 0x9E3779B97F4A7C15u

/*
 * A thread has waited if it slept between two of its calls and this time passed between them.
 * Threads that only wake each other alternately do not sleep that long.
 */
#define WAIT_NS 100000

static struct plan *plan;

/* The consecutive failures of this thread. */
static _Thread_local struct {
    uint64_t count;
    int64_t last_ns; /* monotonic time of the last failure */
    long sleeps;     /* number of voluntary context switches of the thread at that time */
} row;

__attribute__((constructor)) static void share(void)
{
    const char *path = getenv("FAULT_PLAN");
    int fd = path == NULL ? -1 : __real_open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *frames[1];
    backtrace(frames, 1); /* loads the library of backtrace before calls are counted */
    void *mapped = __real_mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    __real_close(fd);
    if (mapped == MAP_FAILED)
        abort();
    plan = mapped;
}

/* At the end, writes the open descriptors to the plan. */
__attribute__((destructor)) static void look_back(void)
{
    DIR *folder = plan == NULL ? NULL : __real_opendir("/proc/self/fd");
    if (folder == NULL)
        return;
    uint64_t count = 0;
    size_t size = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int fd = atoi(entry->d_name);
        char target[200] = "";
        if (entry->d_name[0] == '.' || fd <= STDERR_FILENO || fd == dirfd(folder))
            continue;
        count++;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) > 0 &&
            size < sizeof plan->left)
            size += (size_t)snprintf(plan->left + size, sizeof plan->left - size, "%d %s\n", fd,
                                     target);
    }
    closedir(folder);
    atomic_store(&plan->left_count, count + 1);
}

static uint64_t place_of(const void *from)
{
    return (uint64_t)((const char *)from - &__executable_start);
}

/* Counts a call at a place. Returns its number, from 1. */
static uint64_t note_call(uint64_t key)
{
    for (size_t i = 0; i < PLAN_SEEN; i++) {
        struct plan_seen *seen = &plan->seen[(key * SPREAD + i) % PLAN_SEEN];
        uint64_t expected = 0;
        if (atomic_compare_exchange_strong(&seen->key, &expected, key) || expected == key)
            return atomic_fetch_add(&seen->count, 1) + 1;
    }
    abort(); /* the table of places is full */
}

static void note_stack(uint64_t key, uint64_t number)
{
    void *frames[PLAN_FRAMES];
    int count = backtrace(frames, PLAN_FRAMES);
    uint64_t hash = key;
    for (int i = 0; i < count; i++)
        hash = (hash ^ place_of(frames[i])) * SPREAD;
    hash = hash ^ hash >> 32 ^ 1;
    for (size_t i = 0; i < PLAN_STACKS; i++) {
        struct plan_stack *stack = &plan->stacks[(hash + i) % PLAN_STACKS];
        uint64_t expected = 0;
        if (atomic_compare_exchange_strong(&stack->hash, &expected, hash)) {
            atomic_store(&stack->key, key);
            atomic_store(&stack->number, number);
            return;
        }
        if (expected == hash)
            return;
    }
    abort(); /* the table of stacks is full */
}

static void note(enum call call, uint64_t place)
{
    uint64_t key = ((uint64_t)call + 1) << 48 | place;
    note_stack(key, note_call(key));
}

static void note_frames(void)
{
    void *frames[PLAN_FRAMES + 2];
    int count = backtrace(frames, PLAN_FRAMES + 2);
    for (int i = 2; i < count; i++)
        atomic_store(&plan->frames[i - 2], place_of(frames[i]));
}

/*
 * Counts a failure of this thread. The kernel counts how often a thread gives up its processor to
 * wait (getrusage(2), ru_nvcsw), also inside libraries. Preemptions do not count, so a loop without
 * waits is detected on a busy machine, too.
 */
static void note_failure(void)
{
    struct rusage usage;
    struct timespec time;
    if (getrusage(RUSAGE_THREAD, &usage) != 0 || clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        abort();
    int64_t now_ns = time.tv_sec * 1000000000LL + time.tv_nsec;
    if (usage.ru_nvcsw != row.sleeps && now_ns - row.last_ns >= WAIT_NS)
        row.count = 0;
    row.count++;
    row.last_ns = now_ns;
    row.sleeps = usage.ru_nvcsw;
    uint64_t longest = atomic_load(&plan->longest);
    while (longest < row.count &&
           !atomic_compare_exchange_weak(&plan->longest, &longest, row.count))
        continue;
}

bool plan_interrupts(void)
{
    return plan != NULL && plan->error == EINTR;
}

bool plan_spares_streams(void)
{
    return plan != NULL && plan->spares_streams != 0;
}

struct fate plan_fate(enum call call, const void *from)
{
    struct fate fate = {0, 0};
    if (plan == NULL)
        return fate;
    uint64_t place = place_of(from);
    if (atomic_load_explicit(&plan->watching, memory_order_relaxed) != 0)
        note(call, place);
    if (plan->first == 0 || plan->wanted[call] == 0 || (plan->place != 0 && plan->place != place))
        return fate;
    uint64_t number = atomic_fetch_add(&plan->counted, 1) + 1;
    if (number < plan->first || (plan->times != 0 && number >= plan->first + plan->times)) {
        row.count = 0;
        return fate;
    }
    if (atomic_fetch_add(&plan->failed, 1) == 0)
        note_frames();
    if (plan->error != 0) /* a call that does only a part does not count as a failure */
        note_failure();
    fate.error = (int)plan->error;
    fate.less = plan->less;
    return fate;
}
