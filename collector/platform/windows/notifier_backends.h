/*
 * The rows of Windows' tables notifier_backends, notifier_stream_backends and
 * notifier_level_backends (collector/platform/notifier.h), the best one first. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

/*
 * ROW(NAME) adds notifier_NAME, which notifier_NAME.c defines. psn needs Windows 11 or Server 2022
 * and supports any number of threads. wsaeventselect runs on every Windows and supports one thread.
 */
#define NOTIFIER_BACKENDS(ROW)                                                                     \
    ROW(psn)                                                                                       \
    ROW(wsaeventselect)

/* The backends for streams; they support any number of threads. */
#define NOTIFIER_STREAM_BACKENDS(ROW)                                                              \
    ROW(psn_streams)                                                                               \
    ROW(wsaeventselect_streams)

/* The backends for persistent levels. wsapoll runs on every Windows. */
#define NOTIFIER_LEVEL_BACKENDS(ROW)                                                               \
    ROW(psn_levels)                                                                                \
    ROW(wsapoll)

#define DECLARE_BACKEND(name) extern const struct notifier_backend notifier_##name;
NOTIFIER_BACKENDS(DECLARE_BACKEND)
NOTIFIER_STREAM_BACKENDS(DECLARE_BACKEND)
NOTIFIER_LEVEL_BACKENDS(DECLARE_BACKEND)
#undef DECLARE_BACKEND

#endif
