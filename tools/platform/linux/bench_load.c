/*
 * tools/bench/load.h on Linux, the bench's side: the process that sends is forked, and reports what
 * it did in memory that both have. What it does is in bench_sending.c.
 */
#include "tools/bench/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/platform/linux/bench_process.h"
#include "tools/platform/linux/bench_sending.h"

struct load_run {
    pid_t pid;
    bool ended;
    int status;
    struct sending_shared *shared;
    size_t shared_size;
};

/* So many probes at most, each with its latency. */
static size_t probes_most(const struct load_plan *plan)
{
    double seconds = (double)plan->duration_ns / 1e9;
    return plan->probe_rate == 0 ? 0 : (size_t)ceil(seconds * 1.1 * (double)plan->probe_rate) + 16;
}

int load_start(struct load_run **out, const struct load_plan *plan, struct error *error)
{
    size_t probes = probes_most(plan);
    struct load_run *made = calloc(1, sizeof *made);
    size_t size = sizeof *made->shared + probes * sizeof(double);
    struct sending_shared *shared = process_share(size);
    if (made == NULL || shared == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a sender");
        process_unshare(shared, size);
        free(made);
        return -1;
    }
    *made = (struct load_run){.shared = shared, .shared_size = size};
    shared->latencies_most = probes;
    made->pid = process_fork(plan->cpu, error);
    if (made->pid == 0) {
        sending_run(plan, shared);
        _exit(0);
    }
    if (made->pid < 0) {
        process_unshare(shared, size);
        free(made);
        return -1;
    }
    *out = made;
    return 0;
}

uint64_t load_sent(const struct load_run *run)
{
    return atomic_load_explicit(&run->shared->sent, memory_order_relaxed);
}

bool load_ended(struct load_run *run)
{
    if (!run->ended)
        run->ended = process_wait(run->pid, 0, &run->status);
    return run->ended;
}

static void free_run(struct load_run *run)
{
    process_unshare(run->shared, run->shared_size);
    free(run);
}

static int take_latencies(const struct sending_shared *shared, struct load_result *result,
                          struct error *error)
{
    size_t size = shared->latency_count * sizeof(double);
    result->latency_count = shared->latency_count;
    result->latencies = size == 0 ? NULL : malloc(size);
    if (size != 0 && result->latencies == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for latencies");
        return -1;
    }
    if (size != 0)
        memcpy(result->latencies, shared->latencies, size);
    return 0;
}

int load_finish(struct load_run *run, struct load_result *result, struct error *error)
{
    if (!run->ended)
        process_wait(run->pid, -1, &run->status);
    const struct sending_shared *shared = run->shared;
    *result = (struct load_result){
        .sent = load_sent(run),
        .probes = shared->probes,
        .last_number = shared->last_number,
        .seconds = (double)shared->elapsed_ns / 1e9,
        .look_ns = shared->look_ns,
    };
    int outcome = take_latencies(shared, result, error);
    if (shared->failed || run->status != 0) {
        error_set(error, EXIT_CODE_IO, "the sender failed: %s",
                  shared->failed ? shared->failure.text : "it ended by itself");
        outcome = -1;
    }
    if (outcome != 0) {
        free(result->latencies);
        result->latencies = NULL;
    }
    free_run(run);
    return outcome;
}

void load_abandon(struct load_run *run)
{
    if (!run->ended)
        process_kill(run->pid);
    free_run(run);
}
