/*
 * The rows of Linux' tables notifier_backends, notifier_stream_backends and notifier_level_backends
 * (collector/platform/notifier.h), the best one first. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

/* ROW(NAME) adds notifier_NAME, which notifier_NAME.c defines. */
#define NOTIFIER_BACKENDS(ROW)        ROW(epoll)
#define NOTIFIER_STREAM_BACKENDS(ROW) ROW(epoll)
#define NOTIFIER_LEVEL_BACKENDS(ROW)  ROW(epoll_levels)

#define DECLARE_BACKEND(name) extern const struct notifier_backend notifier_##name;
NOTIFIER_BACKENDS(DECLARE_BACKEND)
NOTIFIER_LEVEL_BACKENDS(DECLARE_BACKEND)
#undef DECLARE_BACKEND

#endif
