#include <stddef.h>

#include "collector/platform/windows/notifier_backends.h"

#define BACKEND(name) &notifier_##name,

const struct notifier_backend *const notifier_level_backends[] = {NOTIFIER_LEVEL_BACKENDS(BACKEND)
                                                                      NULL};
