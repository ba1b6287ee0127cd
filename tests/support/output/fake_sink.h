/*
 * A sink thread with a fake destination. The test is the only producer, and decides the result of
 * each write.
 *
 * Order of calls: fake_sink_set_up (a cmocka setup); set the script and options; fake_sink_start;
 * pushes; fake_sink_finish; assertions; fake_sink_tear_down. From start to finish the fields belong
 * to the sink's thread, unless a comment names other threads.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_FAKE_SINK_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_FAKE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination_stream.h"
#include "collector/output/sink_thread.h"

/* The result of one write. WRITE_OK accepts at most `most` bytes, or all if `most` is 0. */
struct fake_write {
    enum write_result result;
    size_t most;
};

#define FAKE_QUEUES   3
#define FAKE_CAPACITY 64 /* batches that each queue can hold */
#define FAKE_ROOM     ((size_t)32 * 1024 * 1024)

struct fake_sink {
    /* The results of the writes in turn. Set before the start. */
    const struct fake_write *script;
    size_t script_length;
    /*
     * If set, the last result of the script is repeated. Otherwise all writes after the script are
     * accepted.
     */
    bool repeat_last;
    /* If not 0, each write accepts a random part of its bytes. This is the seed. */
    uint64_t random_pieces;
    wait_handle handle;
    bool cannot_roll_back;
    bool reopen_fails;
    bool reopen_mends; /* a reopen ends the script: later writes are accepted */
    /* Bytes that the encoder writes at the beginning of a file. NULL for no head. */
    const char *head;
    bool holds_already; /* the file that is opened first is not empty */
    bool reopen_holds;  /* the file that a reopen opens is not empty */
    /* The operations of the destination. A test may set some of them to NULL. */
    struct stream_ops stream;
    /* The sink is made with these. A test may change them before that. */
    struct sink_settings settings;
    struct sink_thread_options options;

    /* Results. */
    char *bytes;
    size_t size;
    size_t taken_back; /* bytes removed by the last roll_back */
    size_t roll_backs;
    size_t reopens;
    size_t reopened_at;     /* `size` at the last reopen */
    size_t opened_at;       /* `size` when the current file was opened */
    size_t strangers;       /* calls from threads other than the sink's */
    _Atomic size_t writes;  /* calls so far; any thread may read it */
    _Atomic size_t notices; /* calls of options.ended; any thread */
    /*
     * While set, each write waits before it begins (options.before_write). Any thread may set it.
     */
    _Atomic bool gate_shut;
    /* Set while a write waits at the gate. Any thread may read it. */
    _Atomic bool at_gate;

    /* Objects that the sink uses. */
    struct ledger *ledger;
    struct sink_counters *counters;
    struct batch_pool *pool;
    struct sink_thread *sink;
    struct batch_queue *queues[FAKE_QUEUES];
    uint64_t queued; /* records pushed so far */
};

/*
 * Payloads that the fake encoder understands. Any other text becomes one line. "#N" is the text
 * "#N" in N lines. "*N" is a line of N bytes and its newline. "-" has no line. "!" does not fit any
 * buffer. "@" is a line, and requests a reopen of the sink. "~" is a line with two values that JSON
 * cannot express.
 */

/* A cmocka setup and teardown. At the end of the test the sink must have no record in flight. */
int fake_sink_set_up(void **state);
int fake_sink_tear_down(void **state);

/*
 * fake_sink_make_closed makes the sink and its FAKE_QUEUES queues. fake_sink_create also opens the
 * sink, and fake_sink_start also starts it.
 */
void fake_sink_make_closed(struct fake_sink *fake);
void fake_sink_create(struct fake_sink *fake);
void fake_sink_start(struct fake_sink *fake);

/*
 * Pushes one batch of `count` records with this payload. Waits for a free batch, and for room in
 * the queue.
 */
void fake_sink_push(struct fake_sink *fake, size_t queue, const char *payload, size_t count);

/*
 * The two steps of fake_sink_push: the first makes a batch, and the second pushes it. The push
 * takes almost no time.
 */
struct batch *fake_sink_make(struct fake_sink *fake, const char *payload, size_t count);
void fake_sink_offer(struct fake_sink *fake, size_t queue, struct batch *batch);

/*
 * Makes a batch for a fan-out. The fan-out counts the records, and the test must add their number
 * to `queued`.
 */
struct batch *fake_sink_make_for_feed(struct fake_sink *fake, const char *payload, size_t count);

/* Waits until `records` records were written or lost. */
void fake_sink_wait_committed(const struct fake_sink *fake, uint64_t records);

/*
 * fake_sink_wait_writes waits until `writes` calls of write have begun. fake_sink_wait_idle waits
 * until the sink has no work.
 */
void fake_sink_wait_writes(struct fake_sink *fake, size_t writes);
void fake_sink_wait_idle(const struct fake_sink *fake);

/* Waits until the sink's thread sleeps, so that it finds new work only if it is woken. */
void fake_sink_wait_asleep(const struct fake_sink *fake);

/*
 * fake_sink_close closes the queues, fake_sink_join joins the thread, and fake_sink_finish does
 * both. After that, each record and each batch must be accounted for.
 */
void fake_sink_close(struct fake_sink *fake);
void fake_sink_join(struct fake_sink *fake);
void fake_sink_finish(struct fake_sink *fake);

/* Returns the number of records that were written or lost. */
uint64_t fake_sink_committed(const struct fake_sink *fake);

/*
 * Asserts that the accepted bytes are exactly this text, and that `records` lines and records were
 * counted.
 */
void fake_sink_assert_wrote(const struct fake_sink *fake, const char *text, uint64_t records);

#endif
