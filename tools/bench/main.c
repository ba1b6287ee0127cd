/* sluice-bench: what the collector and its parts cost, each beside its yardstick. */
#include <math.h>
#include <stdio.h>

#include "collector/base/version.h"
#include "collector/log/progress_line.h"
#include "collector/platform/entry.h"
#include "collector/platform/udp_socket.h"
#include "tools/bench/bench.h"
#include "tools/bench/options.h"
#include "tools/bench/steps.h"
#include "tools/command/interrupt.h"

/* Bytes that a socket of the collector's gets that asks for so much; 0: there is no such socket. */
static size_t granted_buffer(size_t wanted)
{
    const struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .receive_buffer = wanted,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    struct udp_socket *socket;
    struct error error;
    if (udp_socket_open(&socket, &options, &error) != 0)
        return 0;
    size_t granted = udp_socket_receive_buffer(socket);
    udp_socket_close(socket);
    return granted;
}

static void report_machine(struct bench *bench)
{
    const struct machine *machine = &bench->machine;
    struct report *report = &bench->report;
    char use[96];
    char sleep[32];
    if (machine->receiver_cpu < 0)
        snprintf(use, sizeof use, "nothing is pinned");
    else
        snprintf(use, sizeof use, "sender on %d, receiver on %d", machine->sender_cpu,
                 machine->receiver_cpu);
    report_facts_begin(report, "machine");
    report_fact_text(report, "version", "sluice", SLUICE_VERSION);
    report_fact_text(report, "cpu", "processor", machine->cpu);
    report_fact_text(report, "system", "system", machine->system);
    report_fact_number(report, "processors", "processors", machine->processors, "");
    report_fact_text(report, "pinned", "", use);
    if (machine->sleep_cost_ns >= 0) {
        snprintf(sleep, sizeof sleep, "sleep of %d us", MACHINE_SLEEP_NS / 1000);
        report_fact_number(report, "sleep_cost_us", sleep, round(machine->sleep_cost_ns / 100) / 10,
                           "us of processor time");
    }
    report_fact_number(report, "receive_buffer_asked_kib", "receive buffer",
                       (double)bench->settings.receive_buffer / 1024, "KiB asked");
    report_fact_number(report, "receive_buffer_granted_kib", "",
                       (double)granted_buffer((size_t)bench->settings.receive_buffer) / 1024,
                       "KiB granted");
    report_fact_number(report, "rounds", "rounds", (double)bench->settings.rounds, "");
    report_fact_number(report, "round_ms", "", (double)bench->settings.round_ns / 1e6, "ms each");
    report_facts_end(report);
}

static int run_parts(struct bench *bench, struct error *error)
{
    size_t parts = 0;
    size_t done = 0;
    int result = 0;
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        parts += bench->settings.wanted[i];
    for (size_t i = 0; result == 0 && bench_parts[i].name != NULL; i++)
        if (bench->settings.wanted[i]) {
            steps_begin_part(bench_parts[i].name, done++, parts);
            result = bench_parts[i].run(bench, error);
        }
    steps_end();
    if (result == 0)
        targets_report(&bench->targets, &bench->report);
    return result;
}

static int run(struct bench *bench, struct error *error)
{
    interrupt_catch();
    machine_look(&bench->machine);
    if (scratch_folder_make(bench->settings.scratch, bench->folder, error) != 0)
        return -1;
    int result = -1;
    if (!report_begin(&bench->report, stdout, bench->settings.json)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a report");
    } else {
        report_machine(bench);
        result = run_parts(bench, error);
        if (!report_end(&bench->report, result == 0) && result == 0) {
            error_set(error, EXIT_CODE_INTERNAL, "the report is too long");
            result = -1;
        }
    }
    scratch_folder_remove(bench->folder);
    return result;
}

int program_main(int argc, char **argv)
{
    static struct bench bench;
    struct error error;
    int code;
    options_default(&bench.settings);
    if (!command_begin(&bench_command, argc, argv, &bench.settings, &code))
        return code;
    if (!bench.settings.quiet)
        progress_line_begin();
    int result = run(&bench, &error);
    progress_line_end();
    return command_end(&bench_command, result, &error);
}
