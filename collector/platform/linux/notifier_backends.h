/* The rows of Linux' table notifier_backends (collector/platform/notifier.h). Of this folder only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

extern const struct notifier_backend notifier_epoll;
extern const struct notifier_backend notifier_io_uring; /* Linux 6.1, where it is allowed */

#endif
