/*
 * Dead letters: datagrams that could not be decoded. They are kept in a capture file (pcapng), with
 * the reason in the comment of each packet. They can be examined, and replayed once the schema is
 * correct.
 *
 * The thread that refuses a datagram copies it into its own ring buffer and continues; one other
 * thread writes the file. Letters that exceed the room in the ring, the rate, the file's size or
 * the free disk space are dropped and counted; they delay no thread. Datagrams that can be decoded
 * cost nothing here.
 *
 * Lifecycle: create, add a queue for each producing thread, open, start; the producers close their
 * queues; join (after dead_letters_stop has set a deadline); destroy. Functions are for the main
 * thread, unless another thread is named.
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
    const char *name; /* "file:PATH", for the log; the caller owns it and keeps it longer than the
                         dead letters */
    const char *path;
    uint64_t max_size; /* upper limit of the file in bytes; further letters are dropped */
    uint64_t rate;     /* upper limit of letters kept per second; at most RATE_WINDOW_MOST */
    unsigned mode;     /* permissions of the file (file_system.h) */
    struct disk_reserve reserve;           /* space that must stay free on the disk */
    struct dead_letter_counters *counters; /* only the writing thread writes these */

    /* Called by the writing thread once dead_letters_have_finished returns true; may be NULL. */
    void (*finished)(void *context);
    void *context;
};

/* Return the bytes that the dead letters, and each queue, allocate. */
size_t dead_letters_memory(void);
size_t dead_letter_queue_memory(void);

/* Returns 0, or -1 with `error` filled. */
int dead_letters_create(struct dead_letters **out, const struct dead_letter_options *options,
                        struct error *error);

/*
 * Adds a queue for one producing thread, which counts in `counters`. The dead letters own the
 * queue. Main thread; also while letters are written, if another queue is open. Returns NULL if out
 * of memory.
 */
struct dead_letter_queue *dead_letters_add_queue(struct dead_letters *dead_letters,
                                                 struct dead_letter_counters *counters);

/*
 * Opens the file. Complete sections of earlier runs stay; the first letter begins a new one.
 * Returns 0, or -1 with `error` filled: EXIT_CODE_CANNOT_CREATE, also if the file is not a capture;
 * EXIT_CODE_CONFIG if it is a terminal.
 */
int dead_letters_open(struct dead_letters *dead_letters, struct error *error);

/* Returns 0, or -1 with `error` filled. */
int dead_letters_start(struct dead_letters *dead_letters, struct error *error);

/* --- the producing thread --------------------------------------------------------------------- */

/* Returns true if a datagram of `size` bytes fits the ring now. The rate is not checked. */
bool dead_letter_queue_has_room(const struct dead_letter_queue *queue, size_t size);

/*
 * Copies the datagram, or counts the reason for which it is dropped. `reason` must be one that has
 * letters (datagram_reason_has_letter). `failure` has the details (CAUSE_UNKNOWN if there are
 * none), and `schema` is the name of the schema that refused the datagram. Both are copied.
 */
void dead_letter_offer(struct dead_letter_queue *queue, const struct listener *listener,
                       const struct datagram_slot *datagram, enum datagram_reason reason,
                       const struct decode_failure *failure, const char *schema);

/* Closes the queue: no more letters follow. NULL is allowed. */
void dead_letter_queue_close(struct dead_letter_queue *queue);

/*
 * Opens a closed queue for another thread. Main thread, after the last producing thread has ended,
 * before the next one starts, and while another queue is open. NULL is allowed.
 */
void dead_letter_queue_open_again(struct dead_letter_queue *queue);

/* --- the main thread -------------------------------------------------------------------------- */

/* Any thread: reopens the file by its name, between two letters. */
void dead_letters_reopen(struct dead_letters *dead_letters);

/*
 * Call this after the producers have closed their queues. Letters that are not written by
 * `deadline_ns` (monotonic) are dropped. A further call can only bring the deadline forward.
 */
void dead_letters_stop(struct dead_letters *dead_letters, int64_t deadline_ns);

/* Any thread: returns true if the writing thread has finished. */
bool dead_letters_have_finished(const struct dead_letters *dead_letters);

void dead_letters_join(struct dead_letters *dead_letters);

/* Frees the dead letters, after the join or instead of the start. NULL is allowed. */
void dead_letters_destroy(struct dead_letters *dead_letters);

#endif
