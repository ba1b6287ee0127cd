/*
 * The state file of sealed datagrams (`state=`): after a restart, too, nothing is accepted that was
 * accepted before.
 *
 * While the program runs, the file says up to which time datagrams may have been accepted: it is
 * written ahead, SEAL_STATE_WRITES_NS apart, and no key accepts a time later than what is written.
 * A key whose sender's clock is ahead has a time of its own, once a datagram of it came. So after
 * SIGKILL or a power cut the next start accepts only later times: what is lost is at most what was
 * sent in the second that was written ahead. When the program stops, the file gets all windows, and
 * nothing is lost.
 *
 * If the file cannot be written, datagrams are accepted until the written time is over, and then
 * they are stale; that is logged. The new content is written under another name, synced and
 * renamed, so that a crash leaves the old one or the new one. A lock (FILE.lock) keeps other
 * programs from using the file at a time.
 *
 * Lifecycle: open, load the keys (sender_keys.h), start, close after the last datagram was taken.
 * Tables of keys may be released later. Main thread, except as noted.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_STATE_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_STATE_H

#include <stdint.h>

#include "collector/base/error.h"
#include "collector/senders/key_sessions.h"

/* How often the file is written, and how far ahead. */
#define SEAL_STATE_WRITES_NS INT64_C(500000000)
#define SEAL_STATE_AHEAD_NS  INT64_C(1000000000)

/* After this time without a datagram, a key that no keys file has is left out at the end. */
#define SEAL_STATE_KEPT_NS (INT64_C(86400) * 1000000000)

struct seal_state;

/*
 * Reads the file, locks it and writes it for the first time. A missing file is a first start:
 * nothing up to `now_ns` (of the wall clock) is accepted. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG): the file is damaged, another program uses it, or it cannot be written.
 */
int seal_state_open(const char *path, int64_t now_ns, struct seal_state **out, struct error *error);

/* Checks the file as seal_state_open would, without writing or locking anything. */
int seal_state_check(const char *path, struct error *error);

/*
 * Returns the sessions of the key with this id, as an earlier run left them. The state holds them;
 * the caller may, too. NULL if memory is short.
 */
struct key_sessions *seal_state_sessions(struct seal_state *state, uint64_t id);

/* Starts the thread that writes. Returns 0, or -1 with `error` filled. */
int seal_state_start(struct seal_state *state, struct error *error);

/*
 * Writes once, ahead of `now_ns`. The thread does this; where none is started, the caller may.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_IO).
 */
int seal_state_write(struct seal_state *state, int64_t now_ns, struct error *error);

/*
 * Ends the thread, writes the windows at `now_ns` and frees the state. A failure is logged: the
 * next start then continues with what was written ahead. NULL is allowed.
 */
void seal_state_close(struct seal_state *state, int64_t now_ns);

#endif
