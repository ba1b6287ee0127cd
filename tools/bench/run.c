#include "tools/bench/run.h"

#include <inttypes.h>
#include <math.h>

#include "collector/platform/clock.h"
#include "tools/bench/load.h"
#include "tools/bench/receiver.h"
#include "tools/command/interrupt.h"
#include "tools/sending/udp_sender.h"

#define MILLISECOND  INT64_C(1000000)
#define WARM_UP_MOST (300 * MILLISECOND)
#define SETTLING_NS  (10000 * MILLISECOND)

#define LINE_SIZE  UINT64_C(320)    /* bytes of a sample in JSON, rounded up */
#define USUAL_RATE UINT64_C(400000) /* datagrams a second of a usual sender, rounded up */

/*
 * A receiver counts as idle if it uses at most QUIET_CPU_NS of processor time in QUIET_NS. If it
 * writes a file, the time is QUIET_LATE, because records reach the file 50 ms late. The limit is
 * not 0, because a receiver that pauses uses some processor time even when it is idle. A receiver
 * that does not get the processor also looks idle.
 */
#define QUIET_NS     (25 * MILLISECOND)
#define QUIET_LATE   (80 * MILLISECOND)
#define QUIET_CPU_NS (MILLISECOND / 4)

static bool writes_file(const struct contender *who)
{
    return who->kind == CONTENDER_COLLECTOR && !who->discards;
}

/* Waits until the receiver is idle, at most until `end_ns`. Returns its processor time. */
static int64_t wait_for_quiet(const struct bench_receiver *receiver, int64_t quiet_ns,
                              int64_t end_ns)
{
    int64_t before;
    int64_t now = bench_receiver_cpu_ns(receiver);
    do {
        before = now;
        int64_t until = clock_monotonic_ns() + quiet_ns;
        while (clock_monotonic_ns() < until)
            wait_until(until);
        now = bench_receiver_cpu_ns(receiver);
    } while (now - before > QUIET_CPU_NS && clock_monotonic_ns() < end_ns);
    return now;
}

/*
 * Waits until the receiver has received all datagrams and is idle, but not longer than ten seconds.
 * Sets *counts to its counts. Sets *cpu_ns to the processor time that it had used before it
 * reported them.
 */
static int await_counts(const struct run_plan *plan, struct bench_receiver *receiver, uint64_t sent,
                        struct receiver_counts *counts, int64_t *cpu_ns, struct error *error)
{
    int64_t end = clock_monotonic_ns() + SETTLING_NS;
    do {
        *cpu_ns = wait_for_quiet(receiver, writes_file(plan->who) ? QUIET_LATE : QUIET_NS, end);
        if (bench_receiver_count(receiver, counts, error) != 0)
            return -1;
        /*
         * After drops by the kernel the sum may never reach `sent`, because a dropped buffer of
         * several datagrams counts as one. Then it is enough that the receiver is idle.
         */
        if (counts->received + counts->kernel_drops >= sent || counts->kernel_drops != 0)
            return 0;
    } while (clock_monotonic_ns() < end);
    return 0;
}

static int send_load(const struct bench *bench, const struct run_plan *plan,
                     const struct bench_receiver *receiver, int64_t duration_ns,
                     uint64_t first_number, struct load_result *result, struct error *error)
{
    const struct load_plan load = {
        .traffic = plan->traffic,
        .rate = plan->rate,
        .duration_ns = duration_ns,
        .segmenting = plan->segmenting,
        .port = bench_receiver_port(receiver),
        .first_number = first_number,
        .cpu = bench->machine.sender_cpu,
    };
    return load_send(&load, result, error);
}

/*
 * Checks that each datagram was received or counted by the kernel as dropped. If the kernel counted
 * any, the sum may be too small, because a dropped buffer of several datagrams counts as one.
 */
static int check(const struct run_plan *plan, const struct run_result *result, struct error *error)
{
    uint64_t known = result->received + result->kernel_drops;
    if (known <= result->sent && (known == result->sent || result->kernel_drops != 0))
        return 0;
    error_set(error, EXIT_CODE_INTERNAL,
              "%s: sent %" PRIu64 ", but received %" PRIu64 " and %" PRIu64
              " dropped by the kernel",
              plan->who->name, result->sent, result->received, result->kernel_drops);
    return -1;
}

static int measure(const struct bench *bench, const struct run_plan *plan,
                   struct bench_receiver *receiver, struct run_result *result, struct error *error)
{
    struct load_result warm_up, load;
    struct receiver_counts before, after;
    int64_t cpu_before, cpu_after;
    int64_t warm_up_ns = plan->duration_ns / 5;
    if (warm_up_ns > WARM_UP_MOST)
        warm_up_ns = WARM_UP_MOST;
    if (send_load(bench, plan, receiver, warm_up_ns, TRAFFIC_FIRST_NUMBER, &warm_up, error) != 0 ||
        await_counts(plan, receiver, warm_up.sent, &before, &cpu_before, error) != 0)
        return -1;
    /*
     * This is read again, so that the cost of reporting the counts of the warm-up is not included.
     */
    cpu_before = bench_receiver_cpu_ns(receiver);
    if (send_load(bench, plan, receiver, plan->duration_ns, TRAFFIC_FIRST_NUMBER + warm_up.sent,
                  &load, error) != 0)
        return -1;
    result->sent = warm_up.sent + load.sent;
    if (await_counts(plan, receiver, result->sent, &after, &cpu_after, error) != 0)
        return -1;
    uint64_t received = after.received - before.received;
    result->cpu_ns =
        received == 0 ? (double)NAN : (double)(cpu_after - cpu_before) / (double)received;
    result->rate = (double)load.sent / load.seconds;
    result->peak_memory = bench_receiver_peak_memory(receiver);
    return 0;
}

static int run_with(const struct bench *bench, const struct run_plan *plan,
                    struct bench_receiver *receiver, struct run_result *result, struct error *error)
{
    struct receiver_counts counts;
    if (measure(bench, plan, receiver, result, error) != 0) {
        bench_receiver_abandon(receiver);
        return -1;
    }
    if (bench_receiver_stop(receiver, &counts, error) != 0)
        return -1;
    result->received = counts.received;
    result->kernel_drops = counts.kernel_drops;
    result->lost = result->sent - counts.received + counts.unwritten;
    return check(plan, result, error);
}

/* Returns an upper estimate of the bytes that the collector writes in this run. */
static uint64_t bytes_to_come(const struct run_plan *plan)
{
    uint64_t rate = plan->rate != 0 ? plan->rate : USUAL_RATE;
    double seconds = (double)(plan->duration_ns + WARM_UP_MOST) / 1e9;
    return (uint64_t)((double)(rate * plan->traffic->samples * LINE_SIZE) * seconds);
}

int run_once(const struct bench *bench, const struct run_plan *plan, struct run_result *result,
             struct error *error)
{
    const struct receiver_plan wanted = {
        .who = plan->who,
        .program = bench->settings.collector,
        .folder = bench->folder,
        .receive_buffer = bench->settings.receive_buffer,
        .cpu = bench->machine.receiver_cpu,
    };
    struct bench_receiver *receiver;
    *result = (struct run_result){.sent = 0};
    if (interrupt_seen()) {
        error_set(error, EXIT_CODE_IO, "stopped by a signal");
        return -1;
    }
    if (writes_file(plan->who))
        scratch_folder_warm(bench->folder, bytes_to_come(plan));
    if (bench_receiver_start(&receiver, &wanted, error) != 0)
        return -1;
    int outcome = run_with(bench, plan, receiver, result, error);
    scratch_folder_clear(bench->folder);
    return outcome;
}
