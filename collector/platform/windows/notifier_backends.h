/*
 * The rows of Windows' tables notifier_backends, notifier_stream_backends and
 * notifier_level_backends (collector/platform/notifier.h), the best one first. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

/*
 * ROW(NAME) stands for notifier_NAME, of notifier_NAME.c. psn: Windows 11 and Server 2022, any
 * threads; wsaeventselect: every Windows, one thread.
 */
#define NOTIFIER_BACKENDS(ROW)                                                                     \
    ROW(psn)                                                                                       \
    ROW(wsaeventselect)

/* The backends for streams, each for any number of threads. */
#define NOTIFIER_STREAM_BACKENDS(ROW)                                                              \
    ROW(psn_streams)                                                                               \
    ROW(wsaeventselect_streams)

/* The backends for persistent levels. wsapoll: every Windows. */
#define NOTIFIER_LEVEL_BACKENDS(ROW)                                                               \
    ROW(psn_levels)                                                                                \
    ROW(wsapoll)

#define DECLARE_BACKEND(name) extern const struct notifier_backend notifier_##name;
NOTIFIER_BACKENDS(DECLARE_BACKEND)
NOTIFIER_STREAM_BACKENDS(DECLARE_BACKEND)
NOTIFIER_LEVEL_BACKENDS(DECLARE_BACKEND)
#undef DECLARE_BACKEND

#endif
