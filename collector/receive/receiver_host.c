/*
 * Runs a sink in the thread of a receiver, between the thread's rounds. If the destination accepts
 * no more data, the sink pauses and the rounds continue. Records then wait in the sink's queue. If
 * the queue is full they are refused or evicted, as for a sink with its own thread.
 */
#include "collector/receive/receiver_host.h"

#include "collector/base/rule.h"
#include "collector/platform/notifier.h"
#include "collector/receive/receiver_parts.h"

int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns)
{
    struct sink_thread *sink = worker->receiver->sink;
    if (sink == NULL)
        return fan_out_hold(worker->ingests->fan_out, now_ns, next_ns);
    fan_out_wake_sinks(worker->ingests->fan_out);
    return sink_thread_run_quantum(sink);
}

static void wake_host(void *context)
{
    struct worker *worker = context;
    notifier_wake(worker->receiver->notifier);
}

void receiver_host_sink(struct receiver *receiver, struct sink_thread *sink)
{
    RULE(receiver->options.thread_count == 1 && receiver->workers[0].thread == NULL,
         "a receiver of one thread hosts a sink before it starts");
    RULE(receiver->sink == NULL, "a receiver hosts one sink");
    struct sink_host host = {
        .wake = wake_host,
        .context = &receiver->workers[0],
        .heartbeat = &receiver->workers[0].heartbeat,
    };
    receiver->sink = sink;
    sink_thread_set_host(sink, &host);
}
