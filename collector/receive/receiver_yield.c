/*
 * Gives sinks time to catch up. A receiver needs less time for a datagram than a sink. If the
 * receiver did not run for a moment, or the sink was blocked (for example by the removal of an old
 * file), the receive buffer may have more datagrams than the queue has room for. Receiving all of
 * them at once would make the queue refuse some, although the sink catches up within a few
 * milliseconds. So the receiver leaves datagrams in the receive buffer for this time.
 */
#include "collector/receive/receiver_yield.h"

#include "collector/platform/clock.h"
#include "collector/receive/receiver_parts.h"

/* Sinks are given time while the fullest queue is filled to at least this fraction. */
#define YIELD_BACKLOG 0.5

/*
 * The length of one wait in nanoseconds. A sink needs about five times this to write half of a
 * queue of the usual size.
 */
#define YIELD_NS INT64_C(200000)

static bool have_room(const struct endpoint_list *sockets)
{
    for (const struct endpoint *endpoint = sockets->first; endpoint != NULL;
         endpoint = endpoint->next_listed)
        if (endpoint->socket == NULL || udp_socket_is_half_full(endpoint->socket))
            return false;
    return true;
}

bool receiver_is_ahead(struct worker *worker)
{
    const struct fan_out *fan_out = worker->ingests->fan_out;
    if (worker->pause == NULL || worker->receiver->sink != NULL)
        return false;
    if (fan_out_backlog(fan_out) < YIELD_BACKLOG) {
        worker->yielded_ns = 0;
        return false;
    }
    return worker->yielded_ns < fan_out_delay_ns(fan_out);
}

bool receiver_yield(struct worker *worker)
{
    if (worker->ready.first == NULL || !receiver_is_ahead(worker) || !have_room(&worker->ready))
        return false;
    int64_t begun_ns = clock_monotonic_ns();
    fan_out_wake_sinks(worker->ingests->fan_out);
    pause_wait(worker->pause, YIELD_NS);
    worker->yielded_ns += clock_monotonic_ns() - begun_ns;
    return true;
}
