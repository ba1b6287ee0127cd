/* sluice-bench: what the parts of the collector cost, each beside its yardstick. */
#include <stdio.h>

#include "collector/entry.h"
#include "tools/bench/decoding.h"
#include "tools/bench/encoding.h"
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
        "datagrams in turn; and what encoding costs, in each format. metric1 and batch20 are\n"
        "telemetry datagrams of 1 and 20 metrics.",
    .options = options,
    .notes =
        "A ratio is the unpack's time on the same arena, divided by ours. unpack decodes no\n"
        "groups, checks no UTF-8 and bounds no depth; ours does all of that. Formats that tell\n"
        "samples have nothing to say where a schema has none.",
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

static void print_encoding(const struct workload *workload, const struct encoding_cost *costs,
                           int count)
{
    printf("%s\n", workload->name);
    for (int i = 0; i < count; i++) {
        if (costs[i].able)
            printf("  %-34s %9.0f %11.1f %12.0f\n", costs[i].name, costs[i].nanoseconds,
                   costs[i].lines, costs[i].bytes);
        else
            printf("  %-34s %9s\n", costs[i].name, "-");
    }
}

static int measure_decoding(const struct settings *settings, const struct workload *workload,
                            struct error *error)
{
    struct decoding_cost cost = {0};
    if (decoding_measure(workload, settings->rounds, (int64_t)settings->round_ns, &cost, error) !=
        0)
        return -1;
    print_cost(workload, &cost);
    return 0;
}

static int measure_encoding(const struct settings *settings, const struct workload *workload,
                            struct error *error)
{
    struct encoding_cost costs[ENCODING_MOST];
    int count =
        encoding_measure(workload, settings->rounds, (int64_t)settings->round_ns, costs, error);
    if (count < 0)
        return -1;
    print_encoding(workload, costs, count);
    return 0;
}

/* One table: each workload is made, measured and let go of. */
static int measure_all(const struct settings *settings,
                       int (*measure)(const struct settings *settings,
                                      const struct workload *workload, struct error *error),
                       struct error *error)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < settings->capture_count + 2; i++) {
        struct workload workload = {0};
        if (i < 2)
            result = workload_of_samples(&workload, i == 0 ? "metric1" : "batch20", i == 0 ? 1 : 20,
                                         error);
        else
            result = workload_of_capture(&workload, settings->captures[i - 2], error);
        if (result == 0)
            result = measure(settings, &workload, error);
        workload_clear(&workload);
    }
    return result;
}

static int run(const struct settings *settings, struct error *error)
{
    print_heading();
    if (measure_all(settings, measure_decoding, error) != 0)
        return -1;
    printf("\n%-36s %9s %11s %12s\n", "a record", "ns", "lines", "bytes");
    return measure_all(settings, measure_encoding, error);
}

int program_main(int argc, char **argv)
{
    struct settings settings = {.rounds = 9, .round_ns = 50000000};
    struct error error;
    int code;
    if (!command_begin(&command, argc, argv, &settings, &code))
        return code;
    return command_end(&command, run(&settings, &error), &error);
}
