/*
 * Dead letters: the datagrams that could not be decoded, kept in a capture file (pcapng) with the
 * reason as each packet's comment, so that they can be looked at, and replayed when the schema is
 * right.
 *
 * The thread that refuses a datagram copies it into a ring of its own and goes on; one thread
 * writes. What does not fit the ring, the rate, the file's size or the disk is dropped and counted,
 * and costs nobody anything else. Nothing is done for a datagram that is in order.
 *
 * Lifecycle: create, one queue per producing thread, open, start; the producers close their queues;
 * join (after dead_letters_stop has set a deadline); destroy. Main thread, except where another is
 * named.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DEAD_LETTERS_H
#define SLUICE_COLLECTOR_RECEIVE_DEAD_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/decode_failure.h"
#include "collector/contract/listener.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/file_system.h"
#include "collector/platform/udp.h"

struct dead_letters;
struct dead_letter_queue;

struct dead_letter_options {
    const char *name; /* "file:PATH", for the log; the caller's, outlives all */
    const char *path;
    uint64_t max_size;                /* bytes of the file; what would make it longer is dropped */
    uint64_t rate;                    /* datagrams kept in a second, at most RATE_WINDOW_MOST */
    struct disk_reserve reserve;      /* what stays free of the disk */
    struct letter_counters *counters; /* the writing thread's block */

    /* Called from the writing thread when dead_letters_have_finished has become true; or NULL. */
    void (*finished)(void *context);
    void *context;
};

/* Bytes that the writing thread allocates, and each queue. */
size_t dead_letters_memory(void);
size_t dead_letter_queue_memory(void);

/* Returns 0, or -1 with `error` filled. */
int dead_letters_create(struct dead_letters **out, const struct dead_letter_options *options,
                        struct error *error);

/*
 * Adds a queue for one producing thread, which counts in `counters`. Owned by the dead letters.
 * The main thread; also while they are written, as long as another queue is open.
 * Returns NULL where memory is short.
 */
struct dead_letter_queue *dead_letters_add_queue(struct dead_letters *letters,
                                                 struct letter_counters *counters);

/*
 * Opens the file to append to it: a new section, after what is whole of the old ones. Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE: also where it holds something else;
 * EXIT_CODE_CONFIG: it is a terminal).
 */
int dead_letters_open(struct dead_letters *letters, struct error *error);

/* Returns 0, or -1 with `error` filled. */
int dead_letters_start(struct dead_letters *letters, struct error *error);

/* --- the producing thread --------------------------------------------------------------------- */

/* Whether a datagram of `size` bytes would be taken now, were it not for the rate. */
bool dead_letter_queue_has_room(const struct dead_letter_queue *queue, size_t size);

/*
 * Copies the datagram, or counts why not. `reason` has letters (datagram_reason_has_letter);
 * `failure` says more of it (CAUSE_UNKNOWN: nothing), and `schema` names the one that refused it;
 * both are copied as well.
 */
void dead_letter_offer(struct dead_letter_queue *queue, const struct listener *listener,
                       const struct datagram_slot *datagram, enum datagram_reason reason,
                       const struct decode_failure *failure, const char *schema);

/* Nothing more will come. NULL is allowed. */
void dead_letter_queue_close(struct dead_letter_queue *queue);

/*
 * Of a queue that was closed, and whose thread is gone: another thread may offer letters from now
 * on. The main thread, before that thread starts, and while another queue is open. NULL is allowed.
 */
void dead_letter_queue_open_again(struct dead_letter_queue *queue);

/* --- the main thread -------------------------------------------------------------------------- */

/* Any thread: open the file anew under its name, between two letters. */
void dead_letters_reopen(struct dead_letters *letters);

/*
 * The producers have closed their queues, or are about to: what is not written by `deadline_ns`
 * (monotonic) is given up. Calling it again brings the deadline forward, never back.
 */
void dead_letters_stop(struct dead_letters *letters, int64_t deadline_ns);

/* Any thread: the writing thread has done all it will do. */
bool dead_letters_have_finished(const struct dead_letters *letters);

void dead_letters_join(struct dead_letters *letters);

/* Frees it, after the join or instead of the start. NULL is allowed. */
void dead_letters_destroy(struct dead_letters *letters);

#endif
