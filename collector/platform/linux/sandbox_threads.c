/*
 * Before Linux 7.0 Landlock restricts only the thread that calls it, and libraries have already
 * started threads. So each thread makes the call in a signal handler, as the C library does for
 * setuid(2), and with the same signal: 33, the only one that a library's thread cannot block. The C
 * library uses signal 33 only during such calls. The program makes them only in user_become
 * (user.c), which is over by then.
 */
#include "collector/platform/linux/sandbox_threads.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

#define SIGNAL       33 /* SIGSETXID of the C library, whose sigaction(2) refuses it */
#define THREADS_MOST 256
#define PASSES_MOST  16
#define WAIT_NS      100000 /* nanoseconds between two checks of a thread */
#define WAITS_MOST   10000

/* The kernel's struct sigaction, with a restorer, on x86-64 and arm64. */
struct kernel_action {
    void (*handler)(int signal);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static int (*work)(void *context);
static void *work_context;

/*
 * While a thread is waited for, minus its id. Then the result of `work` in that thread: 0, or
 * errno. A handler that runs too late finds another value here, and changes nothing.
 */
static atomic_int outcome;

static void on_signal(int signal)
{
    int kept = errno;
    int waited = -(int)syscall(SYS_gettid);
    (void)signal;
    if (atomic_load(&outcome) == waited)
        atomic_compare_exchange_strong(&outcome, &waited, work(work_context) == 0 ? 0 : errno);
    errno = kept;
}

static long set_action(int signal, const struct kernel_action *action, struct kernel_action *before)
{
    return syscall(SYS_rt_sigaction, signal, action, before, sizeof action->mask);
}

/*
 * Runs `work` in the handler of one thread. Returns true if it succeeded, or if the thread has
 * ended.
 */
static bool run_in(pid_t thread)
{
    const struct timespec pause = {.tv_nsec = WAIT_NS};
    atomic_store(&outcome, -thread);
    if (syscall(SYS_tgkill, getpid(), thread, SIGNAL) != 0)
        return errno == ESRCH;
    for (int waits = 0; waits < WAITS_MOST && atomic_load(&outcome) < 0; waits++)
        nanosleep(&pause, NULL);
    return atomic_exchange(&outcome, 0) == 0;
}

struct reached {
    pid_t list[THREADS_MOST];
    size_t count, failed;
    size_t left; /* threads that the last pass found and did not signal */
};

static bool has(const struct reached *reached, pid_t thread)
{
    for (size_t i = 0; i < reached->count; i++)
        if (reached->list[i] == thread)
            return true;
    return false;
}

/*
 * Used if /proc is missing, as in a root folder that contains only this program. With CLONE_THREAD,
 * unshare(2) changes nothing, and succeeds only if the process has one thread.
 */
static bool is_single(void)
{
    return unshare(CLONE_THREAD) == 0;
}

/*
 * Signals at most `most` threads, in all passes together, and counts the threads that are left.
 * Returns true if it signalled any.
 */
static bool pass(struct reached *reached, size_t most)
{
    bool found = false;
    DIR *folder = lending_opendir("/proc/self/task");
    const struct dirent *entry;
    if (folder == NULL) {
        reached->failed += !is_single();
        return false;
    }
    reached->left = 0;
    while ((entry = readdir(folder)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread == 0 || thread == getpid() || has(reached, thread))
            continue;
        if (reached->count >= most) {
            reached->left++;
            continue;
        }
        found = true;
        reached->failed += !run_in(thread);
        reached->list[reached->count++] = thread;
    }
    closedir(folder);
    return found;
}

size_t sandbox_threads_run(int (*run)(void *context), void *context)
{
    struct kernel_action before;
    struct kernel_action action;
    struct reached reached = {.count = 0};
    /* Gets the C library's restorer, which sigaction(2) has set for SIGSYS. */
    long result = set_action(SIGSYS, NULL, &action);
    action.handler = on_signal;
    action.flags = (action.flags & ~(unsigned long)(SA_SIGINFO | SA_NODEFER)) | SA_RESTART;
    action.mask = UINT64_MAX;
    work = run;
    work_context = context;
    if (result != 0 || set_action(SIGNAL, &action, &before) != 0)
        return 1;
    for (int passes = 0; pass(&reached, passes < PASSES_MOST ? THREADS_MOST : 0); passes++)
        continue;
    reached.failed += reached.left;
    if (reached.failed == 0) /* after a failure a thread may still receive the signal */
        set_action(SIGNAL, &before, NULL);
    return reached.failed;
}
