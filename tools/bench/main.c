/* sluice-bench: what the parts of the collector cost, each beside its yardstick. */
#include <stdio.h>

#include "tools/bench/decoding.h"
#include "tools/command/command.h"
#include "tools/command/value.h"

#define CAPTURES_MAX 32

struct settings {
    const char *captures[CAPTURES_MAX];
    size_t capture_count;
    uint64_t rounds;
    uint64_t round_ns;
};

static int add_capture(void *settings, const char *value, struct error *error)
{
    struct settings *all = settings;
    if (all->capture_count == CAPTURES_MAX) {
        error_set(error, EXIT_CODE_USAGE, "is given too often");
        return -1;
    }
    all->captures[all->capture_count++] = value;
    return 0;
}

static int set_rounds(void *settings, const char *value, struct error *error)
{
    return value_quantity(value, QUANTITY_COUNT, 1, 1000, &((struct settings *)settings)->rounds,
                          error);
}

static int set_round(void *settings, const char *value, struct error *error)
{
    return value_quantity(value, QUANTITY_DURATION, 1000000, UINT64_C(10000000000),
                          &((struct settings *)settings)->round_ns, error);
}

static const struct command_option options[] = {
    {"capture", "SCHEMA:FILE",
     "also the datagrams of a pcap or pcapng file, of a built-in schema;\nmay be repeated",
     add_capture},
    {"rounds", "N", "how often each is measured; the median is told (default 9)", set_rounds},
    {"round-time", "TIME", "how long each time, at least (default 50ms)", set_round},
    {0},
};

static const struct command command = {
    .name = "sluice-bench",
    .usage = "[options]",
    .summary =
        "Measures what decoding costs: our decoder beside protobuf-c's unpack, on the same\n"
        "datagrams in turn. metric1 and batch20 are telemetry datagrams of 1 and 20 metrics.",
    .options = options,
    .notes = "A ratio is the unpack's time on the same arena, divided by ours. unpack decodes no\n"
             "groups, checks no UTF-8 and bounds no depth; ours does all of that.",
};

static void print_heading(void)
{
    printf("%-36s %9s %11s %12s %6s %9s %12s\n", "ns a datagram", "ours", "unpack", "unpack", "",
           "ours", "unpack");
    printf("%-36s %9s %11s %12s %6s %9s %12s\n", "", "", "arena", "malloc", "ratio", "bytes",
           "bytes");
}

static void print_cost(const struct workload *workload, const struct decoding_cost *cost)
{
    const double *ns = cost->nanoseconds;
    printf("%-36s %9.0f %11.0f %12.0f %6.2f %9.0f %12.0f\n", workload->name, ns[DECODING_OURS],
           ns[DECODING_UNPACK_ARENA], ns[DECODING_UNPACK_MALLOC],
           ns[DECODING_UNPACK_ARENA] / ns[DECODING_OURS], cost->memory[DECODING_OURS],
           cost->memory[DECODING_UNPACK_ARENA]);
    if (cost->refused[DECODING_OURS] != cost->refused[DECODING_UNPACK_ARENA])
        printf("  of %zu datagrams ours refuses %zu, unpack %zu\n", workload->count,
               cost->refused[DECODING_OURS], cost->refused[DECODING_UNPACK_ARENA]);
}

static int measure(const struct settings *settings, struct workload *workload, int made,
                   struct error *error)
{
    struct decoding_cost cost = {0};
    int result = made;
    if (result == 0)
        result =
            decoding_measure(workload, settings->rounds, (int64_t)settings->round_ns, &cost, error);
    if (result == 0)
        print_cost(workload, &cost);
    workload_clear(workload);
    return result;
}

static int run(const struct settings *settings, struct error *error)
{
    struct workload workload = {0};
    print_heading();
    if (measure(settings, &workload, workload_of_samples(&workload, "metric1", 1, error), error) !=
            0 ||
        measure(settings, &workload, workload_of_samples(&workload, "batch20", 20, error), error) !=
            0)
        return -1;
    for (size_t i = 0; i < settings->capture_count; i++)
        if (measure(settings, &workload,
                    workload_of_capture(&workload, settings->captures[i], error), error) != 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {.rounds = 9, .round_ns = 50000000};
    struct error error;
    int code;
    if (!command_begin(&command, argc, argv, &settings, &code))
        return code;
    return command_end(&command, run(&settings, &error), &error);
}
