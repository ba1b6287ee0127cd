/* The part that sends for a long time, and watches memory and loss. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/platform/clock.h"
#include "tools/bench/run.h"
#include "tools/bench/steps.h"
#include "tools/command/interrupt.h"
#include "tools/sending/udp_sender.h"

#define DEFAULT_RATE   100000
#define SECOND         INT64_C(1000000000)
#define INTERVALS      20 /* rows of the table, more or less */
#define INTERVAL_LEAST (SECOND / 5)
#define MIB            (1024.0 * 1024.0)

struct soak {
    struct bench *bench;
    struct contender who; /* with a file that rotates, unless it has keys of its own */
    struct bench_receiver *receiver;
    struct load_run *load;
    int64_t start_ns;
    uint64_t sent_before; /* in the row before */
    int64_t printed_ns;   /* when that was */
    int64_t cpu_before_ns;
    uint64_t received_before;
};

static int start(struct soak *soak, struct error *error)
{
    const struct settings *settings = &soak->bench->settings;
    const struct contender *json = contenders_named(&settings->contenders, "json");
    soak->who = *json;
    /* What is written in ten minutes is not kept: it would fill the disk. */
    if (soak->who.sink_keys[0] == '\0')
        soak->who.sink_keys = "rotate_size=64MiB&keep=2";
    const struct receiver_plan plan = {
        .who = &soak->who,
        .program = settings->collector,
        .folder = soak->bench->folder,
        .listeners = (size_t)settings->listeners,
        .sinks = 1,
        .receive_buffer = (size_t)settings->receive_buffer,
        .cpu = soak->bench->machine.receiver_cpu,
    };
    if (bench_receiver_start(&soak->receiver, &plan, error) != 0)
        return -1;
    size_t port_count;
    const uint16_t *ports = bench_receiver_ports(soak->receiver, &port_count);
    const struct load_plan load = {
        .traffic = &traffic_metric1,
        .rate = settings->rate_given ? settings->rate : DEFAULT_RATE,
        .duration_ns = (int64_t)settings->duration_ns,
        .segmenting = settings->segmenting,
        .ports = ports,
        .port_count = port_count,
        .first_number = TRAFFIC_FIRST_NUMBER,
        .cpu = soak->bench->machine.sender_cpu,
    };
    soak->start_ns = clock_monotonic_ns();
    soak->printed_ns = soak->start_ns;
    return load_start(&soak->load, &load, error);
}

static int print_row(struct soak *soak, struct error *error)
{
    struct receiver_counts counts;
    if (bench_receiver_count(soak->receiver, &counts, error) != 0)
        return -1;
    int64_t now = clock_monotonic_ns();
    uint64_t sent = load_sent(soak->load);
    int64_t cpu_ns = bench_receiver_cpu_ns(soak->receiver);
    double seconds = (double)(now - soak->printed_ns) / 1e9;
    double received = (double)(counts.received - soak->received_before);
    const struct report_cell cells[] = {
        report_number((double)(now - soak->start_ns) / 1e9),
        report_number((double)(sent - soak->sent_before) / seconds),
        report_number(received / seconds),
        report_number((double)(cpu_ns - soak->cpu_before_ns) / received),
        report_number((double)counts.kernel_drops),
        report_number((double)bench_receiver_memory(soak->receiver) / MIB),
    };
    report_row(&soak->bench->report, cells);
    soak->printed_ns = now;
    soak->sent_before = sent;
    soak->cpu_before_ns = cpu_ns;
    soak->received_before = counts.received;
    return 0;
}

static int watch(struct soak *soak, struct error *error)
{
    int64_t interval = (int64_t)soak->bench->settings.duration_ns / INTERVALS;
    if (interval < INTERVAL_LEAST)
        interval = INTERVAL_LEAST;
    steps_expect(soak->bench->settings.duration_ns);
    while (!load_ended(soak->load)) {
        if (interrupt_seen()) {
            error_set(error, EXIT_CODE_IO, "stopped by a signal");
            return -1;
        }
        steps_reach((uint64_t)(clock_monotonic_ns() - soak->start_ns));
        if (clock_monotonic_ns() - soak->printed_ns >= interval && print_row(soak, error) != 0)
            return -1;
        wait_until(clock_monotonic_ns() + SECOND / 20);
    }
    return 0;
}

static int finish(struct soak *soak, struct error *error)
{
    struct load_result load;
    struct receiver_counts counts;
    struct report *report = &soak->bench->report;
    struct load_run *run = soak->load;
    soak->load = NULL;
    if (load_finish(run, &load, error) != 0)
        return -1;
    int64_t cpu_ns;
    if (run_await_counts(soak->receiver, load.sent, &counts, &cpu_ns, error) != 0)
        return -1;
    double peak = (double)bench_receiver_peak_memory(soak->receiver);
    struct bench_receiver *receiver = soak->receiver;
    soak->receiver = NULL;
    if (bench_receiver_stop(receiver, &counts, error) != 0)
        return -1;
    report_facts_begin(report, "soak_sums");
    report_fact_number(report, "seconds", "time", load.seconds, "s");
    report_fact_number(report, "sent", "sent", (double)load.sent, "");
    report_fact_number(report, "received", "received", (double)counts.received, "");
    report_fact_number(report, "kernel_drops", "kernel_drops", (double)counts.kernel_drops, "");
    report_fact_number(report, "unwritten", "not written", (double)counts.unwritten, "");
    report_fact_number(report, "peak_memory_mib", "memory", peak / MIB, "MiB");
    report_facts_end(report);
    return 0;
}

int part_soak(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"seconds", "s", 7, 1},
        {"sent_per_second", "sent/s", 8, 0},
        {"received_per_second", "received/s", 11, 0},
        {"cpu_ns", "ns", 7, 0},
        {"kernel_drops", "drops", 9, 0},
        {"memory_mib", "MiB", 7, 2},
    };
    struct soak soak = {.bench = bench};
    report_table_begin(&bench->report, "soak", "Over time: metric1 into a JSON file that rotates",
                       columns, sizeof columns / sizeof columns[0]);
    int result = start(&soak, error);
    if (result == 0)
        result = watch(&soak, error);
    report_table_end(&bench->report);
    if (result == 0)
        result = finish(&soak, error);
    if (soak.load != NULL)
        load_abandon(soak.load);
    bench_receiver_abandon(soak.receiver);
    scratch_folder_clear(bench->folder);
    return result;
}
