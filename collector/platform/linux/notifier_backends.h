/*
 * The rows of Linux' tables notifier_backends and notifier_stream_backends (collector/platform/
 * notifier.h), the best one first. Of this folder only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_NOTIFIER_BACKENDS_H

#include "collector/platform/notifier.h"

/* io_uring: Linux 6.1, where it is allowed. */
#ifdef SLUICE_IO_URING
#define NOTIFIER_BACKEND_IO_URING(ROW) ROW(io_uring)
#else
#define NOTIFIER_BACKEND_IO_URING(ROW)
#endif

/* ROW(NAME) stands for notifier_NAME, of notifier_NAME.c. */
#define NOTIFIER_BACKENDS(ROW)                                                                     \
    ROW(epoll)                                                                                     \
    NOTIFIER_BACKEND_IO_URING(ROW)

/*
 * io_uring is no row here: a ring belongs to the thread that waits (IORING_SETUP_SINGLE_ISSUER),
 * and a stream is armed by any. A ring without that would need a lock around each arming and each
 * wait, where epoll needs none.
 */
#define NOTIFIER_STREAM_BACKENDS(ROW) ROW(epoll)

#define DECLARE_BACKEND(name) extern const struct notifier_backend notifier_##name;
NOTIFIER_BACKENDS(DECLARE_BACKEND)
#undef DECLARE_BACKEND

#endif
