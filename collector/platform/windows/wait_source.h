/*
 * The object that a wait_handle (collector/platform/wakeup.h) points to on Windows, unless it is a
 * socket. Its reader or writer keeps an event set while an operation would succeed. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_WAIT_SOURCE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_WAIT_SOURCE_H

#include <windows.h>

#include "collector/platform/wakeup.h"

/*
 * Manual-reset events, or NULL for one that is never set. They must exist as long as a thread waits
 * for the handle.
 */
struct wait_source {
    HANDLE readable; /* set while a read or an accept would succeed */
    HANDLE writable; /* set while a write would succeed */
    HANDLE broken;   /* set when the peer has closed */
};

static inline wait_handle wait_source_handle(const struct wait_source *source)
{
    return (wait_handle)source;
}

static inline const struct wait_source *wait_source_of(wait_handle handle)
{
    return (const struct wait_source *)handle;
}

#endif
