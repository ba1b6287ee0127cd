/*
 * A receiver that runs a sink between its rounds. Where a write has to wait for the sink's reader,
 * or for a destination that fails, the rounds go on within that wait: what they receive is queued,
 * and refused or evicted when the queue is full, as it is where the sink has a thread.
 */
#include "collector/platform/notifier.h"
#include "collector/receive/receiver_parts.h"

/*
 * How long a wait within a write sleeps without looking at what it waits for where no datagrams
 * come, in milliseconds: the first time, and doubled up to the longest.
 */
#define FIRST_LOOK_MS   1
#define LONGEST_LOOK_MS 16

int64_t receiver_hand_over(struct member *member, int64_t now_ns, int64_t next_ns)
{
    struct sink_thread *sink = member->receiver->sink;
    if (sink == NULL)
        return feed_hold(member->intakes->feed, now_ns, next_ns);
    feed_wake_sinks(member->intakes->feed);
    return sink_thread_turn(sink);
}

/* The sink's `wait`. When the receiver is to stop it does, and the sockets are closed. */
static void wait_and_serve(void *context, struct wakeup *wakeup, wait_handle handle,
                           bool want_write, int timeout_ms)
{
    struct member *member = context;
    int64_t until_ns = INT64_MAX;
    if (timeout_ms >= 0)
        until_ns = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    for (int look_ms = FIRST_LOOK_MS; !atomic_load(&member->receiver->stopping);) {
        int left_ms = milliseconds_until(until_ns, clock_monotonic_ns());
        if (left_ms == 0 || wakeup_wait(wakeup, handle, want_write, 0) != WAKEUP_TIMEOUT)
            return;
        receiver_round(member, left_ms > 0 && left_ms < look_ms ? left_ms : look_ms);
        look_ms = look_ms < LONGEST_LOOK_MS ? 2 * look_ms : LONGEST_LOOK_MS;
    }
    receiver_end(member);
    wakeup_wait(wakeup, handle, want_write, milliseconds_until(until_ns, clock_monotonic_ns()));
}

static void wake(void *context)
{
    struct member *member = context;
    notifier_wake(member->receiver->notifier);
}

void receiver_host_sink(struct receiver *receiver, struct sink_thread *sink)
{
    struct sink_host host = {
        .wait = wait_and_serve,
        .wake = wake,
        .context = &receiver->members[0],
        .pulse = &receiver->members[0].pulse,
    };
    receiver->sink = sink;
    sink_thread_set_host(sink, &host);
}
