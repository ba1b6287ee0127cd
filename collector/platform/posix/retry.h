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

/* How often an interrupted call is repeated in a row. */
#define RETRY_MOST 100

/* Pauses for fewer than 1000 milliseconds, also if poll(2) fails. Leaves errno as it was. */
static inline void retry_pause_ms(unsigned milliseconds)
{
    const struct timespec pause = {.tv_nsec = milliseconds * 1000000L};
    int before = errno;
    nanosleep(&pause, NULL);
    errno = before;
}

/*
 * Pauses for a millisecond after a wait that failed and that the caller will begin again, so that a
 * wait that always fails does not keep a processor busy. Leaves errno as it was.
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
 * Whether to repeat a call that failed with errno: it was interrupted, and not more than RETRY_MOST
 * times; after that many it pauses. `times` is 0 before the first call; after a success it may be
 * set to 0 again.
 */
static inline bool retry_interrupted(unsigned *times)
{
    return retry_after(EINTR, times);
}

/*
 * Like retry_interrupted, for accept(2): also repeats if the connection was aborted before it was
 * accepted, because another connection may wait.
 */
static inline bool retry_aborted(unsigned *times)
{
    return retry_after(ECONNABORTED, times);
}

#endif
