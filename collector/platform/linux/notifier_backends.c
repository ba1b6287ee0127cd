#include "collector/platform/linux/notifier_backends.h"

#include <stddef.h>

const struct notifier_backend *const notifier_backends[] = {
    &notifier_epoll,
#ifdef SLUICE_IO_URING
    &notifier_io_uring,
#endif
    NULL,
};
