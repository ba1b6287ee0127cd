/*
 * Implements struct pause with a waitable timer of high resolution (Windows 10, version 1803).
 * Other timers wait until the next tick of the system's clock, which usually has 64 ticks per
 * second.
 */
#include "collector/platform/clock.h"

#include <stdlib.h>
#include <windows.h>

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

struct pause {
    HANDLE timer;
};

struct pause *pause_create(void)
{
    struct pause *pause = calloc(1, sizeof *pause);
    if (pause == NULL)
        return NULL;
    pause->timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
                                          TIMER_MODIFY_STATE | SYNCHRONIZE);
    if (pause->timer == NULL) {
        free(pause);
        return NULL;
    }
    return pause;
}

void pause_destroy(struct pause *pause)
{
    if (pause == NULL)
        return;
    CloseHandle(pause->timer);
    free(pause);
}

void pause_wait(struct pause *pause, int64_t nanoseconds)
{
    const LARGE_INTEGER from_now = {.QuadPart = -(nanoseconds + 99) / 100};
    if (SetWaitableTimer(pause->timer, &from_now, 0, NULL, NULL, FALSE))
        WaitForSingleObject(pause->timer, INFINITE);
}
