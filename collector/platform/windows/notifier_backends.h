/* The rows of Windows' table notifier_backends (collector/platform/notifier.h). Of platform/windows
 * only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

extern const struct notifier_backend notifier_psn; /* Windows 11, Server 2022; any threads */
extern const struct notifier_backend notifier_wsaeventselect; /* every Windows; one thread */

#endif
