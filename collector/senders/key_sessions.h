/*
 * The sessions of one key (seal_window.h), shared by all threads and listeners that read its keys
 * file, and by the tables of before and after a reload.
 *
 * With a state file (seal_state.h) a key accepts no time later than what is written: its ceiling.
 *
 * Lifecycle: create, take, hold and release. Any thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_KEY_SESSIONS_H
#define SLUICE_COLLECTOR_SENDERS_KEY_SESSIONS_H

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

/* Returns the bytes that one key's sessions allocate. */
size_t key_sessions_memory(void);

#endif
