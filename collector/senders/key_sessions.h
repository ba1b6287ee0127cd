/*
 * The sessions of one key: they show which sealed datagrams of the key were accepted
 * (seal_window.h). All threads and listeners that read the key's file share the sessions. A reload
 * makes a new table of keys, and the new table shares the sessions with the old one.
 *
 * With a state file (seal_state.h) each key has a ceiling, and refuses datagrams that are later
 * than the ceiling. The ceiling is the time that the file has for the key. The file is written with
 * a time ahead of the clock; after the write the ceiling rises to that time.
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

/* Returns NULL if out of memory. The caller must release the result. */
struct key_sessions *key_sessions_create(int64_t floor_ns);

struct key_sessions *key_sessions_hold(struct key_sessions *sessions);
/* The last release frees the sessions. NULL is allowed. */
void key_sessions_release(struct key_sessions *sessions);

/*
 * Classifies a datagram whose authentication tag is correct. If the datagram is accepted, remembers
 * its counter.
 */
enum seal_verdict key_sessions_take(struct key_sessions *sessions,
                                    const struct sealed_header *header);

/* Returns the time up to which this session refuses datagrams as stale. Ignores the ceiling. */
int64_t key_sessions_floor(struct key_sessions *sessions, uint64_t session);

/* Returns the latest time that may have been accepted. */
int64_t key_sessions_latest(struct key_sessions *sessions);

/*
 * Raises the floor to `floor_ns` if it is lower. Existing and later sessions accept only times
 * after the floor.
 */
void key_sessions_raise_floor(struct key_sessions *sessions, int64_t floor_ns);

/* Returns the bytes that one key's sessions allocate. */
size_t key_sessions_memory(void);

/* --- for the state file ----------------------------------------------------------------------- */

/*
 * Creates sessions as an earlier run left them. `written_ns` points to the ceiling of all keys, and
 * must stay valid until the last call of key_sessions_take. Returns NULL if out of memory.
 */
struct key_sessions *key_sessions_restore(const struct seal_sessions *earlier,
                                          const _Atomic int64_t *written_ns);

/*
 * Begins a write of the state file at `now_ns`. Returns the floor that the file must have for this
 * key: `ahead_ns` after the latest time that has arrived, or 0 if the floor of all keys
 * (`common_ns`) is sufficient. Lowers the key's own ceiling to the returned time if it is higher.
 */
int64_t key_sessions_plan(struct key_sessions *sessions, int64_t now_ns, int64_t ahead_ns,
                          int64_t common_ns);

/*
 * Ends a write: the file on disk has `ceiling_ns` as the key's floor, so the key accepts times up
 * to it.
 */
void key_sessions_allow(struct key_sessions *sessions, int64_t ceiling_ns);

void key_sessions_copy(struct key_sessions *sessions, struct seal_sessions *out);

#endif
