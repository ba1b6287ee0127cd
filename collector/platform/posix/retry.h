/*
 * Limits and pauses for calls that are repeated.
 *
 * A signal interrupts a call once. If a call is interrupted again and again, the cause is outside
 * of this program: a system call filter, a debugger, or a faulty driver. A caller that repeats the
 * call without a limit would hang. Only for platform/ and tools/platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_RETRY_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_RETRY_H

#include <errno.h>
#include <stdbool.h>
#include <time.h>

/* How often a call that fails in the same way is repeated. */
#define RETRY_MOST 100

/* Pauses for `milliseconds`, below 1000. Preserves errno. */
static inline void retry_pause_ms(unsigned milliseconds)
{
    const struct timespec pause = {.tv_nsec = milliseconds * 1000000L};
    int before = errno;
    nanosleep(&pause, NULL);
    errno = before;
}

/*
 * Pauses for a millisecond after a failed wait that the caller repeats, so that a wait that always
 * fails does not keep a processor busy. Preserves errno.
 */
static inline void retry_pause(void)
{
    retry_pause_ms(1);
}

static inline bool retry_after(int number, unsigned *times)
{
    if (errno != number)
        return false;
    if ((*times)++ < RETRY_MOST)
        return true;
    retry_pause(); /* the caller may repeat the call later */
    return false;
}

/*
 * Returns true if a call that failed with errno should be repeated: it was interrupted, at most
 * RETRY_MOST times. After that it pauses and returns false. `times` is 0 before the first call; it
 * may be reset to 0 after a success.
 */
static inline bool retry_interrupted(unsigned *times)
{
    return retry_after(EINTR, times);
}

/*
 * Does the same for an accept(2) whose connection was aborted before it was accepted: another
 * connection may wait.
 */
static inline bool retry_aborted(unsigned *times)
{
    return retry_after(ECONNABORTED, times);
}

#endif
