/* The loop of the bench's sender: what is due, and between datagrams the watch on the file. */
#include "tools/platform/linux/bench_sending.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "tools/bench/probe.h"
#include "tools/bench/statistics.h"
#include "tools/bench/tail.h"
#include "tools/platform/linux/bench_socket.h"
#include "tools/send/pacing.h"
#include "tools/sending/udp_sender.h"

#define LOOKS_MOST    4096
#define LOOK_EVERY_NS 100000              /* also where the sender is behind */
#define LAST_LOOKS_NS INT64_C(1000000000) /* for lines of the last probes */

struct watch {
    struct tail *tail;
    int64_t looked_ns;
    size_t looks;
    double gaps[LOOKS_MOST]; /* nanoseconds between the last so many looks */
};

struct sending {
    const struct load_plan *plan;
    struct sending_shared *shared;
    struct pacing pacing;
    struct pacing probe_pacing;
    struct message_template message;
    struct message_template probe;
    struct bench_socket *socket;
    uint64_t *numbers; /* given last, of each source */
    size_t source;     /* whose turn it is */
    uint64_t sent;     /* but for probes */
    uint64_t probes;
    int64_t start_ns;
    int64_t wall_ns; /* what to add to the time since the start, for the time since 1970 */
    struct watch watch;
    uint8_t bytes[UDP_PAYLOAD_MAX];
};

/* --- setting up ------------------------------------------------------------------------------- */

static int set_up_probes(struct sending *sending, struct error *error)
{
    const struct load_plan *plan = sending->plan;
    const struct message_plan message = {.sender = {"probe/1", 7}, .boot_id = 1, .samples = 1};
    sending->probe_pacing =
        pacing_make(plan->probe_rate, 1, UINT64_MAX, (uint64_t)plan->duration_ns);
    if (message_template_init(&sending->probe, &probe_shape, &message, UINT32_MAX, error) != 0)
        return -1;
    sending->watch.tail = tail_open(plan->file);
    if (sending->watch.tail != NULL)
        return 0;
    error_set(error, EXIT_CODE_IO, "cannot watch %s", plan->file);
    return -1;
}

static int set_up(struct sending *sending, struct error *error)
{
    const struct load_plan *plan = sending->plan;
    size_t sources = plan->sources == 0 ? 1 : plan->sources;
    sending->pacing = pacing_make(plan->rate, 1, UINT64_MAX, (uint64_t)plan->duration_ns);
    sending->numbers = malloc(sources * sizeof *sending->numbers);
    if (sending->numbers == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for %zu sources", sources);
        return -1;
    }
    for (size_t i = 0; i < sources; i++)
        sending->numbers[i] = plan->first_number - 1;
    if (traffic_template(plan->traffic, &sending->message, error) != 0 ||
        bench_socket_open(&sending->socket, plan, error) != 0)
        return -1;
    return plan->probe_rate == 0 ? 0 : set_up_probes(sending, error);
}

static void tear_down(struct sending *sending)
{
    tail_close(sending->watch.tail);
    bench_socket_close(sending->socket);
    message_template_clear(&sending->message);
    message_template_clear(&sending->probe);
    free(sending->numbers);
}

/* --- sending ---------------------------------------------------------------------------------- */

static int send_probe(struct sending *sending, struct error *error)
{
    uint64_t number = sending->plan->first_number + sending->probes;
    size_t size =
        message_template_stamp(&sending->probe, number, (uint64_t)clock_wall_ns(), sending->bytes);
    if (bench_socket_send_one(sending->socket, sending->bytes, size, error) != 0)
        return -1;
    sending->probes++;
    return 0;
}

static int send_group(struct sending *sending, size_t count, int64_t elapsed_ns,
                      struct error *error)
{
    size_t sources = sending->plan->sources == 0 ? 1 : sending->plan->sources;
    uint64_t time_ns = (uint64_t)(sending->wall_ns + elapsed_ns);
    uint32_t from[BENCH_GROUP_SIZE];
    size_t size = sending->plan->traffic->size;
    for (size_t i = 0; i < count; i++) {
        size_t source = sending->source;
        sending->source = source + 1 == sources ? 0 : source + 1;
        from[i] = (uint32_t)source;
        message_template_stamp(&sending->message, ++sending->numbers[source], time_ns,
                               sending->bytes + i * size);
    }
    if (bench_socket_send(sending->socket, sending->bytes, from, count, error) != 0)
        return -1;
    sending->sent += count;
    return 0;
}

/* How many to send now. A segmenting sender waits until a whole buffer is due. */
static size_t due_now(const struct sending *sending, int64_t elapsed_ns)
{
    size_t most = bench_socket_group(sending->socket);
    uint64_t left = pacing_due(&sending->pacing, (uint64_t)elapsed_ns) - sending->sent;
    if (left >= most)
        return most;
    bool last = sending->sent + left == sending->pacing.total;
    return sending->plan->segmenting && !last ? 0 : (size_t)left;
}

/* A sender that cannot keep up is not to send for longer than it was asked to. */
static bool is_over(const struct sending *sending, int64_t elapsed_ns)
{
    int64_t duration = sending->plan->duration_ns;
    if (sending->plan->rate == 0)
        return elapsed_ns >= duration;
    return sending->sent >= sending->pacing.total || elapsed_ns >= duration + duration / 20;
}

/* --- watching the file ------------------------------------------------------------------------ */

static bool look(struct sending *sending)
{
    struct sending_shared *shared = sending->shared;
    struct watch *watch = &sending->watch;
    bool more = false;
    int64_t now = clock_monotonic_ns();
    if (watch->looked_ns != 0)
        watch->gaps[watch->looks++ % LOOKS_MOST] = (double)(now - watch->looked_ns);
    watch->looked_ns = now;
    shared->latency_count += tail_look(watch->tail, shared->latencies + shared->latency_count,
                                       shared->latencies_most - shared->latency_count, &more);
    return more;
}

/* The lines of the last probes come when all was sent. */
static void look_for_the_last(struct sending *sending)
{
    int64_t end = clock_monotonic_ns() + LAST_LOOKS_NS;
    while (sending->shared->latency_count < sending->probes && clock_monotonic_ns() < end)
        look(sending);
}

static bool look_is_due(const struct sending *sending, bool idle)
{
    const struct watch *watch = &sending->watch;
    return watch->tail != NULL &&
           (idle || clock_monotonic_ns() - watch->looked_ns >= LOOK_EVERY_NS);
}

static double usual_gap(struct watch *watch)
{
    size_t count = watch->looks < LOOKS_MOST ? watch->looks : LOOKS_MOST;
    return statistics_percentile(watch->gaps, statistics_sort(watch->gaps, count), 0.99);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int send_all(struct sending *sending, struct error *error)
{
    struct sending_shared *shared = sending->shared;
    sending->start_ns = clock_monotonic_ns();
    sending->wall_ns = clock_wall_ns();
    int64_t elapsed = 0;
    while (!is_over(sending, elapsed)) {
        size_t due = due_now(sending, elapsed);
        if (due != 0 && send_group(sending, due, elapsed, error) != 0)
            return -1;
        if (sending->plan->probe_rate != 0 &&
            pacing_due(&sending->probe_pacing, (uint64_t)elapsed) > sending->probes &&
            send_probe(sending, error) != 0)
            return -1;
        atomic_store_explicit(&shared->sent, sending->sent + sending->probes, memory_order_relaxed);
        if (look_is_due(sending, due == 0))
            look(sending);
        elapsed = clock_monotonic_ns() - sending->start_ns;
    }
    shared->elapsed_ns = elapsed;
    if (sending->watch.tail != NULL)
        look_for_the_last(sending);
    return 0;
}

static void report(struct sending *sending)
{
    struct sending_shared *shared = sending->shared;
    shared->probes = sending->probes;
    for (size_t i = 0; i < (sending->plan->sources == 0 ? 1 : sending->plan->sources); i++)
        if (sending->numbers[i] > shared->last_number)
            shared->last_number = sending->numbers[i];
    if (sending->watch.tail != NULL)
        shared->look_ns = usual_gap(&sending->watch);
}

void sending_run(const struct load_plan *plan, struct sending_shared *shared)
{
    static struct sending sending;
    sending = (struct sending){.plan = plan, .shared = shared};
    if (set_up(&sending, &shared->failure) != 0 || send_all(&sending, &shared->failure) != 0)
        shared->failed = true;
    if (sending.numbers != NULL)
        report(&sending);
    tear_down(&sending);
}
