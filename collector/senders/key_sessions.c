#include "collector/senders/key_sessions.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/platform/thread.h"

struct key_sessions {
    _Atomic unsigned holders;
    struct mutex *mutex;
    struct seal_sessions sessions;
};

struct key_sessions *key_sessions_create(int64_t floor_ns)
{
    struct key_sessions *sessions = calloc(1, sizeof *sessions);
    if (sessions == NULL)
        return NULL;
    atomic_init(&sessions->holders, 1);
    sessions->mutex = mutex_create();
    if (sessions->mutex == NULL) {
        free(sessions);
        return NULL;
    }
    seal_sessions_init(&sessions->sessions, floor_ns);
    return sessions;
}

struct key_sessions *key_sessions_hold(struct key_sessions *sessions)
{
    atomic_fetch_add_explicit(&sessions->holders, 1, memory_order_relaxed);
    return sessions;
}

void key_sessions_release(struct key_sessions *sessions)
{
    if (sessions == NULL ||
        atomic_fetch_sub_explicit(&sessions->holders, 1, memory_order_acq_rel) != 1)
        return;
    mutex_destroy(sessions->mutex);
    free(sessions);
}

enum seal_verdict key_sessions_take(struct key_sessions *sessions,
                                    const struct sealed_header *header)
{
    mutex_lock(sessions->mutex);
    enum seal_verdict verdict =
        seal_sessions_take(&sessions->sessions, header->session, header->counter, header->time_ns);
    mutex_unlock(sessions->mutex);
    return verdict;
}

size_t key_sessions_memory(void)
{
    return sizeof(struct key_sessions);
}
