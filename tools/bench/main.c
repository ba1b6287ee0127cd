/*
 * sluice-bench: measures the collector and its parts, and compares each with a simpler program or
 * function.
 */
#include <inttypes.h>
#include <stdio.h>

#include "collector/base/version.h"
#include "collector/platform/process.h"
#include "collector/platform/udp.h"
#include "tools/bench/bench.h"
#include "tools/bench/options.h"
#include "tools/command/interrupt.h"

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

static void report_machine(const struct bench *bench)
{
    const struct machine *machine = &bench->machine;
    const struct settings *settings = &bench->settings;
    printf("sluice %s, %s, %u processors, %s", SLUICE_VERSION, machine->cpu, machine->processors,
           machine->system);
    if (machine->receiver_cpu < 0)
        printf("; nothing is pinned\n");
    else
        printf("; the sender on processor %d, the receiver on %d\n", machine->sender_cpu,
               machine->receiver_cpu);
    printf("a sleep of %d us costs %.1f us of processor time\n", MACHINE_SLEEP_NS / 1000,
           machine->sleep_cost_ns / 1000);
    printf("receive buffer: %" PRIu64 " KiB asked, %zu KiB granted\n",
           settings->receive_buffer / 1024,
           granted_buffer((size_t)settings->receive_buffer) / 1024);
    printf("%" PRIu64 " rounds of %" PRIu64 " ms\n", settings->rounds,
           settings->round_ns / 1000000);
}

static int run_parts(struct bench *bench, struct error *error)
{
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        if (bench->settings.wanted[i] && bench_parts[i].run(bench, error) != 0)
            return -1;
    return 0;
}

static int run(struct bench *bench, struct error *error)
{
    interrupt_catch();
    machine_look(&bench->machine);
    if (scratch_folder_make(bench->settings.scratch, bench->folder, error) != 0)
        return -1;
    report_machine(bench);
    int result = run_parts(bench, error);
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
    return command_end(&bench_command, run(&bench, &error), &error);
}
