/* Implements struct pause with clock_nanosleep(2) and PR_SET_TIMERSLACK of prctl(2). */
#include "collector/platform/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/*
 * The timer slack of a thread that pauses: the time by which the kernel may delay its timers to
 * combine them with others. The default is 50 µs.
 */
#define SLACK_NS 5000

struct pause {
    bool begun;
};

struct pause *pause_create(void)
{
    return calloc(1, sizeof(struct pause));
}

void pause_destroy(struct pause *pause)
{
    free(pause);
}

void pause_wait(struct pause *pause, int64_t nanoseconds)
{
    if (!pause->begun)
        prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0); /* for this thread */
    pause->begun = true;
    const struct timespec wait = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                                  .tv_nsec = (long)(nanoseconds % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
}
