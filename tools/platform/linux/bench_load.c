/*
 * Implements tools/bench/load.h on Linux: a forked process sends, and reports its results in shared
 * memory.
 */
#include "tools/bench/load.h"

#include <unistd.h>

#include "collector/platform/clock.h"
#include "tools/platform/linux/bench_process.h"
#include "tools/platform/linux/bench_socket.h"
#include "tools/send/pacing.h"
#include "tools/sending/udp_sender.h"

/* The results of the sender, which the bench reads after the sender has ended. */
struct shared {
    uint64_t sent;
    int64_t elapsed_ns; /* from the time when the first datagram is due to the end of sending */
    bool failed;
    struct error failure;
};

struct sending {
    const struct load_plan *plan;
    struct pacing pacing;
    struct message_template message;
    struct bench_socket *socket;
    uint64_t sent;
    int64_t start_ns;
    int64_t wall_ns; /* when the sender started, in nanoseconds since 1970 UTC */
    uint8_t bytes[UDP_PAYLOAD_MAX];
};

/* --- code of the process that sends ----------------------------------------------------------- */

static int send_group(struct sending *sending, size_t count, int64_t elapsed_ns,
                      struct error *error)
{
    uint64_t time_ns = (uint64_t)(sending->wall_ns + elapsed_ns);
    size_t size = sending->plan->traffic->size;
    for (size_t i = 0; i < count; i++)
        message_template_stamp(&sending->message, sending->plan->first_number + sending->sent + i,
                               time_ns, sending->bytes + i * size);
    if (bench_socket_send(sending->socket, sending->bytes, count, error) != 0)
        return -1;
    sending->sent += count;
    return 0;
}

/*
 * Returns the number of datagrams to send now. A segmenting sender waits until all datagrams of a
 * buffer are due.
 */
static size_t due_now(const struct sending *sending, int64_t elapsed_ns)
{
    size_t most = bench_socket_group(sending->socket);
    uint64_t left = pacing_due(&sending->pacing, (uint64_t)elapsed_ns) - sending->sent;
    if (left >= most)
        return most;
    bool last = sending->sent + left == sending->pacing.total;
    return sending->plan->segmenting && !last ? 0 : (size_t)left;
}

/*
 * Returns true if the sender must stop. A sender that is too slow stops soon after the requested
 * duration.
 */
static bool is_over(const struct sending *sending, int64_t elapsed_ns)
{
    int64_t duration = sending->plan->duration_ns;
    if (sending->plan->rate == 0)
        return elapsed_ns >= duration;
    return sending->sent >= sending->pacing.total || elapsed_ns >= duration + duration / 20;
}

static int send_all(struct sending *sending, struct shared *shared)
{
    const struct load_plan *plan = sending->plan;
    int64_t elapsed = 0;
    if (traffic_template(plan->traffic, &sending->message, &shared->failure) != 0 ||
        bench_socket_open(&sending->socket, plan, &shared->failure) != 0)
        return -1;
    sending->pacing = pacing_make(plan->rate, 1, UINT64_MAX, (uint64_t)plan->duration_ns);
    sending->start_ns = clock_monotonic_ns();
    sending->wall_ns = clock_wall_ns();
    while (!is_over(sending, elapsed)) {
        size_t due = due_now(sending, elapsed);
        if (due != 0 && send_group(sending, due, elapsed, &shared->failure) != 0)
            return -1;
        elapsed = clock_monotonic_ns() - sending->start_ns;
    }
    shared->sent = sending->sent;
    shared->elapsed_ns = elapsed;
    return 0;
}

static void run(const struct load_plan *plan, struct shared *shared)
{
    static struct sending sending;
    sending.plan = plan;
    shared->failed = send_all(&sending, shared) != 0;
    bench_socket_close(sending.socket);
    message_template_clear(&sending.message);
}

/* --- code of the bench ------------------------------------------------------------------------ */

static int wait_for(pid_t pid, const struct shared *shared, struct load_result *result,
                    struct error *error)
{
    int status = 0;
    process_wait(pid, -1, &status);
    *result = (struct load_result){shared->sent, (double)shared->elapsed_ns / 1e9};
    if (!shared->failed && status == 0)
        return 0;
    error_set(error, EXIT_CODE_IO, "the sender failed: %s",
              shared->failed ? shared->failure.text : "it ended by itself");
    return -1;
}

int load_send(const struct load_plan *plan, struct load_result *result, struct error *error)
{
    struct shared *shared = process_share(sizeof *shared);
    if (shared == NULL)
        return error_no_memory(error);
    pid_t pid = process_fork(plan->cpu, error);
    if (pid == 0) {
        run(plan, shared);
        _exit(0);
    }
    int outcome = pid < 0 ? -1 : wait_for(pid, shared, result, error);
    process_unshare(shared, sizeof *shared);
    return outcome;
}
