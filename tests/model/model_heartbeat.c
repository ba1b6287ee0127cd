/*
 * A model of a heartbeat with a watcher. The watcher must never see the heartbeat decrease. It must
 * not report a thread as stuck that waits, or that has begun another round.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/base/heartbeat.h"
#include "tests/model/explorer.h"

static struct worker {
    struct heartbeat heartbeat;
    _Atomic bool waits; /* what the watcher knows from elsewhere: the thread waits */
} * shared;

static void set_up(void)
{
    shared = calloc(1, sizeof *shared);
}

static void work(void)
{
    heartbeat_work(&shared->heartbeat);
    heartbeat_work(&shared->heartbeat);
    heartbeat_wait(&shared->heartbeat);
    heartbeat_work(&shared->heartbeat);
    heartbeat_wait(&shared->heartbeat);
    atomic_store_explicit(&shared->waits, true, memory_order_release);
}

static void watch(void)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < 3; i++) {
        uint64_t before = seen;
        bool waits = atomic_load_explicit(&shared->waits, memory_order_acquire);
        bool advanced = heartbeat_advanced(&shared->heartbeat, &seen);
        model_expect(seen >= before, "it goes back");
        model_expect(advanced || seen % 2 != 0, "a waiting thread is reported as hanging");
        model_expect(advanced || seen == before, "a running thread is reported as hanging");
        model_expect(advanced || !waits, "a thread known to wait is reported as hanging");
    }
}

const struct model model_heartbeat = {"heartbeat", set_up, {work, watch}, NULL};
