#include "collector/senders/key_sessions.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/platform/thread.h"

struct key_sessions {
    _Atomic unsigned holders;
    struct mutex *mutex; /* guards the members below */
    struct seal_sessions sessions;
    const _Atomic int64_t *written_ns; /* points to the ceiling of all keys; NULL without a state
                                        * file */
    int64_t own_ns;                    /* ceiling of this key; the higher of the two ceilings
                                        * applies */
    int64_t wanted_ns; /* latest time of a datagram that was refused because it was above both
                        * ceilings, since the last write */
};

static struct key_sessions *create_sessions(void)
{
    struct key_sessions *sessions = calloc(1, sizeof *sessions);
    if (sessions == NULL)
        return NULL;
    atomic_init(&sessions->holders, 1);
    sessions->mutex = mutex_create();
    if (sessions->mutex != NULL)
        return sessions;
    free(sessions);
    return NULL;
}

struct key_sessions *key_sessions_create(int64_t floor_ns)
{
    struct key_sessions *sessions = create_sessions();
    if (sessions != NULL)
        seal_sessions_init(&sessions->sessions, floor_ns);
    return sessions;
}

struct key_sessions *key_sessions_restore(const struct seal_sessions *earlier,
                                          const _Atomic int64_t *written_ns)
{
    struct key_sessions *sessions = create_sessions();
    if (sessions != NULL) {
        sessions->sessions = *earlier;
        sessions->written_ns = written_ns;
    }
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

size_t key_sessions_memory(void)
{
    return sizeof(struct key_sessions);
}

/* --- datagrams -------------------------------------------------------------------------------- */

/*
 * Returns true if the time is above both ceilings. The caller holds the lock. A write lowers a
 * ceiling before it reads the sessions, so it sees every datagram that was accepted under the old
 * ceiling.
 */
static bool is_above_ceiling(const struct key_sessions *sessions, int64_t time_ns)
{
    return sessions->written_ns != NULL && time_ns > sessions->own_ns &&
           time_ns > atomic_load_explicit(sessions->written_ns, memory_order_relaxed);
}

enum seal_verdict key_sessions_take(struct key_sessions *sessions,
                                    const struct sealed_header *header)
{
    enum seal_verdict verdict = SEAL_STALE;
    mutex_lock(sessions->mutex);
    if (!is_above_ceiling(sessions, header->time_ns))
        verdict = seal_sessions_take(&sessions->sessions, header->session, header->counter,
                                     header->time_ns);
    else if (header->time_ns > sessions->wanted_ns)
        sessions->wanted_ns = header->time_ns;
    mutex_unlock(sessions->mutex);
    return verdict;
}

int64_t key_sessions_floor(struct key_sessions *sessions, uint64_t session)
{
    mutex_lock(sessions->mutex);
    int64_t floor_ns = seal_sessions_floor(&sessions->sessions, session);
    mutex_unlock(sessions->mutex);
    return floor_ns;
}

int64_t key_sessions_latest(struct key_sessions *sessions)
{
    mutex_lock(sessions->mutex);
    int64_t latest_ns = seal_sessions_latest(&sessions->sessions);
    mutex_unlock(sessions->mutex);
    return latest_ns;
}

void key_sessions_raise_floor(struct key_sessions *sessions, int64_t floor_ns)
{
    mutex_lock(sessions->mutex);
    seal_sessions_raise_floor(&sessions->sessions, floor_ns);
    mutex_unlock(sessions->mutex);
}

/* --- the state file --------------------------------------------------------------------------- */

int64_t key_sessions_plan(struct key_sessions *sessions, int64_t now_ns, int64_t ahead_ns,
                          int64_t common_ns)
{
    mutex_lock(sessions->mutex);
    int64_t latest_ns = seal_sessions_latest(&sessions->sessions);
    if (sessions->wanted_ns > latest_ns)
        latest_ns = sessions->wanted_ns;
    sessions->wanted_ns = 0;
    int64_t most_ns = INT64_MAX - ahead_ns;
    int64_t own_ns = (latest_ns < most_ns ? latest_ns : most_ns) + ahead_ns;
    if (latest_ns <= now_ns || own_ns <= common_ns)
        own_ns = 0;
    if (sessions->own_ns > own_ns)
        sessions->own_ns = own_ns;
    mutex_unlock(sessions->mutex);
    return own_ns;
}

void key_sessions_allow(struct key_sessions *sessions, int64_t ceiling_ns)
{
    mutex_lock(sessions->mutex);
    sessions->own_ns = ceiling_ns;
    mutex_unlock(sessions->mutex);
}

void key_sessions_copy(struct key_sessions *sessions, struct seal_sessions *out)
{
    mutex_lock(sessions->mutex);
    *out = sessions->sessions;
    mutex_unlock(sessions->mutex);
}
