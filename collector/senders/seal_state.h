/*
 * The state file of sealed datagrams (`state=`). With it, no datagram that was accepted before a
 * restart is accepted again after it.
 *
 * While the program runs, the file has a time up to which datagrams may have been accepted. It is
 * written every SEAL_STATE_WRITES_NS with a time ahead of the clock, and no key accepts a later
 * time than the file has. If the clock of a key's sender is further ahead, the key refuses the
 * sender's datagram, and the next write gives this key a later time of its own. After SIGKILL or a
 * power cut, the next start accepts only datagrams that are later than the time in the file. So it
 * refuses new datagrams at most until the clock reaches that time. When the program stops, it
 * writes all windows, and the next start refuses no new datagram.
 *
 * The written time is ahead of the clock by SEAL_STATE_AHEAD_NS plus twice the duration of the last
 * write, but not by more than SEAL_STATE_AHEAD_MOST_NS. So a slow disk costs new datagrams only
 * after SIGKILL. If a write is not complete before the clock reaches the time in the file, a log
 * line reports it.
 *
 * If the file cannot be written, datagrams up to the time in the file are accepted. Later ones are
 * refused as stale, and a log line reports the reason. The new content is written under another
 * name, synced and renamed, so that after a crash the file has either the old content or the new. A
 * lock (FILE.lock) keeps other programs from using the file at the same time.
 *
 * Lifecycle: open, load the keys (sender_keys.h), start, close after the last datagram was taken.
 * Tables of keys may be released later. Main thread, unless stated otherwise.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_STATE_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_STATE_H

#include <stdint.h>

#include "collector/base/error.h"
#include "collector/senders/key_sessions.h"

/*
 * The time between two writes; how far ahead of the clock the written time is on a fast disk; how
 * far ahead it is at most.
 */
#define SEAL_STATE_WRITES_NS     INT64_C(500000000)
#define SEAL_STATE_AHEAD_NS      INT64_C(1000000000)
#define SEAL_STATE_AHEAD_MOST_NS INT64_C(60000000000)

/*
 * When the program stops, a key that no keys file has and that had no datagram for this time is
 * removed from the state file.
 */
#define SEAL_STATE_KEPT_NS (INT64_C(86400) * 1000000000)

struct seal_state;

/*
 * Reads the file, locks it, and writes it for the first time. Without a file, only datagrams later
 * than `now_ns` (wall clock) are accepted. Returns 0; or -1 with `error` filled (EXIT_CODE_CONFIG)
 * if the file is damaged, another program uses it, or it cannot be written.
 */
int seal_state_open(const char *path, int64_t now_ns, struct seal_state **out, struct error *error);

/* Checks the file like seal_state_open, but neither writes nor locks it. */
int seal_state_check(const char *path, struct error *error);

/*
 * Returns the sessions of the key with this id, as an earlier run left them. The state keeps its
 * reference; the caller may add its own (key_sessions_hold). Returns NULL if out of memory.
 */
struct key_sessions *seal_state_sessions(struct seal_state *state, uint64_t id);

/* Starts the writing thread. Returns 0, or -1 with `error` filled. */
int seal_state_start(struct seal_state *state, struct error *error);

/*
 * Writes the file once, ahead of `now_ns`. Called by the writing thread, or by the caller if none
 * was started. Returns 0, or -1 with `error` filled (EXIT_CODE_IO).
 */
int seal_state_write(struct seal_state *state, int64_t now_ns, struct error *error);

/*
 * Ends the thread, writes the windows at `now_ns`, and frees the state. A failure is logged; the
 * next start then uses the time in the file. NULL is allowed.
 */
void seal_state_close(struct seal_state *state, int64_t now_ns);

#endif
