/* Tests the sessions of a key when several threads use them (key_sessions.h). */
#include <stdatomic.h>

#include "collector/platform/thread.h"
#include "collector/senders/key_sessions.h"
#include "tests/support/test.h"

#define THREADS  4
#define COUNTERS 5000

struct taker {
    struct key_sessions *sessions;
    _Atomic unsigned *accepted; /* number of threads that accepted each counter */
};

static void take_all(void *argument)
{
    const struct taker *taker = argument;
    for (uint64_t counter = 1; counter <= COUNTERS; counter++) {
        const struct sealed_header header = {
            .session = counter % 3, .counter = counter, .time_ns = 1};
        if (key_sessions_take(taker->sessions, &header) == SEAL_ACCEPTED)
            atomic_fetch_add(&taker->accepted[counter - 1], 1);
    }
    key_sessions_release(taker->sessions);
}

TEST(of_several_threads_one_accepts_each_datagram)
{
    static _Atomic unsigned accepted[COUNTERS];
    struct thread *threads[THREADS];
    struct error error;
    struct taker taker = {.sessions = key_sessions_create(0), .accepted = accepted};
    assert_non_null(taker.sessions);
    for (size_t i = 0; i < THREADS; i++) {
        key_sessions_hold(taker.sessions);
        assert_int_equal(thread_start(&threads[i], "taker", take_all, &taker, &error), 0);
    }
    key_sessions_release(taker.sessions);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    for (size_t i = 0; i < COUNTERS; i++)
        assert_int_equal(atomic_load(&accepted[i]), 1);
}
