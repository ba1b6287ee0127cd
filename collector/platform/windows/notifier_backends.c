#include "collector/platform/windows/notifier_backends.h"

#include <stddef.h>

const struct notifier_backend *const notifier_backends[] = {
    &notifier_psn,
    &notifier_wsaeventselect,
    NULL,
};
