/*
 * A sink thread between one producer, the test, and a destination that does what the test says.
 *
 * Life: fake_sink_set_up (a cmocka setup), the script and the options, fake_sink_start, pushes,
 * fake_sink_finish, assertions; fake_sink_tear_down. The destination's own fields are its thread's
 * from start to finish, except where a comment says otherwise.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_FAKE_SINK_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_FAKE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination_stream.h"
#include "collector/output/sink_thread.h"

/* The result of one write. WRITE_OK accepts at most `most` bytes; 0: all. */
struct fake_write {
    enum write_result result;
    size_t most;
};

#define FAKE_QUEUES   3
#define FAKE_CAPACITY 64 /* of each queue */
#define FAKE_ROOM     ((size_t)32 * 1024 * 1024)

struct fake_sink {
    /* The script, before the start. */
    const struct fake_write *script;
    size_t script_length;
    bool repeat_last;       /* the last step is repeated; otherwise later writes are accepted */
    uint64_t random_pieces; /* seed; other than 0: every write accepts a random part */
    wait_handle handle;
    bool cannot_roll_back;
    bool reopen_fails;
    bool reopen_mends;             /* ends the script: later writes are accepted */
    const char *head;              /* the head that the encoder writes into a file; NULL: none */
    bool holds_already;            /* the file that is opened first is not empty */
    bool reopen_holds;             /* the file that a reopen opens is not empty */
    struct stream_ops stream;      /* the destination's operations; a test may remove some */
    struct sink_settings settings; /* used by the options; a test changes them before the sink is
                                      made */
    struct sink_thread_options options;

    /* Results. */
    char *bytes;
    size_t size;
    size_t taken_back; /* bytes removed by the last roll_back */
    size_t roll_backs;
    size_t reopens;
    size_t reopened_at;     /* `size` at the last reopen */
    size_t opened_at;       /* `size` when the file that is written now was opened */
    size_t strangers;       /* calls by other threads than the sink's */
    _Atomic size_t writes;  /* calls so far; any thread may look */
    _Atomic size_t notices; /* calls of options.ended; any thread */
    _Atomic bool gate_shut; /* set by any thread: holds a write before it begins
                               (options.before_write) */
    _Atomic bool at_gate;   /* read by any thread: a write is held */

    /* Objects that the sink uses. */
    struct ledger *ledger;
    struct sink_counters *counters;
    struct batch_pool *pool;
    struct sink_thread *sink;
    struct batch_queue *queues[FAKE_QUEUES];
    uint64_t queued; /* records */
};

/*
 * The payloads that the fake encoder reads: a text becomes one line; "#N" that text N times, one
 * line each; "*N" a line of N bytes and its newline; "-" leaves no line; "!" fits no buffer; "@" is
 * a line, during which the sink is told to reopen; "~" is a line with two values that JSON cannot
 * express.
 */

/* A cmocka setup and teardown. At the end of the test the sink must have no record in flight. */
int fake_sink_set_up(void **state);
int fake_sink_tear_down(void **state);

/* Makes the sink and its FAKE_QUEUES queues. create also opens it, and start also starts it. */
void fake_sink_make_closed(struct fake_sink *fake);
void fake_sink_create(struct fake_sink *fake);
void fake_sink_start(struct fake_sink *fake);

/*
 * Pushes one batch of `count` records with this payload. Waits for a free batch, and for room in
 * the queue.
 */
void fake_sink_push(struct fake_sink *fake, size_t queue, const char *payload, size_t count);

/* fake_sink_push in two steps, of which the second, the push, takes almost no time. */
struct batch *fake_sink_make(struct fake_sink *fake, const char *payload, size_t count);
void fake_sink_offer(struct fake_sink *fake, size_t queue, struct batch *batch);

/*
 * A batch for a fan_out, which counts its records itself. The test adds what was counted to
 * `queued`.
 */
struct batch *fake_sink_make_for_feed(struct fake_sink *fake, const char *payload, size_t count);

/* Waits until `records` records have an outcome. */
void fake_sink_wait_committed(const struct fake_sink *fake, uint64_t records);

/*
 * wait_writes waits until `writes` calls of write have begun, wait_idle until the sink has no work.
 */
void fake_sink_wait_writes(struct fake_sink *fake, size_t writes);
void fake_sink_wait_idle(const struct fake_sink *fake);

/* Waits until the sink's thread sleeps, so that it finds new work only if it is woken. */
void fake_sink_wait_asleep(const struct fake_sink *fake);

/*
 * close closes the queues, join joins the thread; finish does both. Then every record and batch
 * must be accounted for.
 */
void fake_sink_close(struct fake_sink *fake);
void fake_sink_join(struct fake_sink *fake);
void fake_sink_finish(struct fake_sink *fake);

/* The number of records that have an outcome. */
uint64_t fake_sink_committed(const struct fake_sink *fake);

/* Asserts that exactly this text was accepted, and `lines` and `written` counted. */
void fake_sink_assert_wrote(const struct fake_sink *fake, const char *text, uint64_t records);

#endif
