/*
 * The sessions of one key (seal_window.h), shared by all threads and listeners that read its keys
 * file, and by the tables of before and after a reload.
 *
 * With a state file (seal_state.h) a key has a ceiling: it accepts no time later than the file has
 * for it. The state writes the file ahead of the time, and then raises the ceiling.
 *
 * Lifecycle: create, take, hold and release. Any thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_KEY_SESSIONS_H
#define SLUICE_COLLECTOR_SENDERS_KEY_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/framing/sealed.h"
#include "collector/senders/seal_window.h"

struct key_sessions;

/* Returns NULL if memory is short. The caller releases it. */
struct key_sessions *key_sessions_create(int64_t floor_ns);

struct key_sessions *key_sessions_hold(struct key_sessions *sessions);
/* Frees the sessions with their last holder. NULL is allowed. */
void key_sessions_release(struct key_sessions *sessions);

/* Classifies a datagram whose tag is right, and notes it if it is accepted. */
enum seal_verdict key_sessions_take(struct key_sessions *sessions,
                                    const struct sealed_header *header);

/* Returns the time up to which datagrams of this session are stale; without a state's ceiling. */
int64_t key_sessions_floor(struct key_sessions *sessions, uint64_t session);

/* Returns the largest time that may have been accepted. */
int64_t key_sessions_latest(struct key_sessions *sessions);

/*
 * Raises the floor to `floor_ns` if it is lower. Known sessions, and those that begin later, accept
 * only times after the floor.
 */
void key_sessions_raise_floor(struct key_sessions *sessions, int64_t floor_ns);

/* Returns the bytes that one key's sessions allocate. */
size_t key_sessions_memory(void);

/* --- for the state file ----------------------------------------------------------------------- */

/*
 * Creates sessions as an earlier run left them. `written_ns` points to the state's ceiling of all
 * keys, which must exist until the last datagram was taken. Returns NULL if memory is short.
 */
struct key_sessions *key_sessions_restore(const struct seal_sessions *earlier,
                                          const _Atomic int64_t *written_ns);

/*
 * Begins a write at `now_ns`. Returns the floor that the file needs for this key, which is
 * `ahead_ns` after the latest time that came; 0: the floor of all keys, `common_ns`, is enough.
 * From now on the key's own ceiling is not above the returned time.
 */
int64_t key_sessions_plan(struct key_sessions *sessions, int64_t now_ns, int64_t ahead_ns,
                          int64_t common_ns);

/*
 * Ends a write: `ceiling_ns` is on disk as the key's own floor, so the key accepts times up to it.
 */
void key_sessions_allow(struct key_sessions *sessions, int64_t ceiling_ns);

/* Copies the sessions. */
void key_sessions_copy(struct key_sessions *sessions, struct seal_sessions *out);

#endif
