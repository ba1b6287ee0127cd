#include "collector/base/progress.h"

#include <stddef.h>

static progress_watcher *watched_by;

void progress_watch(progress_watcher *watcher)
{
    watched_by = watcher;
}

bool progress_is_watched(void)
{
    return watched_by != NULL;
}

void progress_report(const struct progress *now)
{
    if (watched_by != NULL)
        watched_by(now);
}

void progress_end(void)
{
    if (watched_by != NULL)
        watched_by(NULL);
}
