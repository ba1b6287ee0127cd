/*
 * The object that a wait_handle (collector/platform/wakeup.h) points to on Windows, except for
 * sockets: events that its reader or writer keeps set while an operation would succeed. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_WAIT_SOURCE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_WAIT_SOURCE_H

#include <windows.h>

#include "collector/platform/wakeup.h"

/* Manual-reset events; NULL: never set. They live as long as the handle is waited for. */
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
