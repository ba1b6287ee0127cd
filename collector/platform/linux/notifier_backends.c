#include "collector/platform/linux/notifier_backends.h"

#include <stddef.h>

#define BACKEND(name) &notifier_##name,

const struct notifier_backend *const notifier_backends[] = {NOTIFIER_BACKENDS(BACKEND) NULL};
const struct notifier_backend *const notifier_stream_backends[] = {NOTIFIER_STREAM_BACKENDS(BACKEND)
                                                                       NULL};
