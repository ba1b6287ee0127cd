/* The part that measures what a record costs over TCP, beside the same over UDP. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/bench/run.h"
#include "tools/bench/steps.h"

/* How the messages come; UDP comes first. */
static const struct way {
    const char *name;
    size_t connections;
} ways[] = {{"udp", 0}, {"tcp", 1}, {"tcp", 8}, {"tcp", 64}};
#define WAYS (sizeof ways / sizeof ways[0])

/* What the rounds found, by way. */
struct cost {
    double *cpu_ns;
    double *rate;
    double lost, sent;
    double peak_memory; /* bytes */
};

struct costs {
    size_t rounds;
    double *values;
    struct cost items[WAYS];
};

static bool make_costs(struct costs *costs, size_t rounds)
{
    *costs = (struct costs){.rounds = rounds,
                            .values = calloc(2 * WAYS * rounds, sizeof *costs->values)};
    for (size_t i = 0; i < WAYS && costs->values != NULL; i++)
        costs->items[i] = (struct cost){.cpu_ns = costs->values + 2 * i * rounds,
                                        .rate = costs->values + (2 * i + 1) * rounds};
    return costs->values != NULL;
}

/* Keys of its listener are a UDP socket's. */
static bool takes_part(const struct contender *who)
{
    return who->kind == CONTENDER_COLLECTOR && who->listener_keys[0] == '\0';
}

static int run_round(const struct bench *bench, const struct contender *who, uint64_t rate,
                     struct costs *costs, size_t round, struct error *error)
{
    for (size_t i = 0; i < WAYS; i++) {
        const struct run_plan plan = {
            .who = who,
            .traffic = &traffic_metric1,
            .rate = rate,
            .duration_ns = (int64_t)bench->settings.round_ns,
            .connections = ways[i].connections,
        };
        struct run_result result;
        if (run_once(bench, &plan, &result, error) != 0)
            return -1;
        struct cost *cost = &costs->items[i];
        cost->cpu_ns[round] = result.cpu_ns;
        cost->rate[round] = result.rate;
        cost->lost += (double)result.lost;
        cost->sent += (double)result.sent;
        if ((double)result.peak_memory > cost->peak_memory)
            cost->peak_memory = (double)result.peak_memory;
    }
    return 0;
}

static void report_costs(struct bench *bench, const struct contender *who,
                         const struct costs *costs)
{
    for (size_t i = 0; i < WAYS; i++) {
        const struct cost *cost = &costs->items[i];
        struct spread cpu = spread_of(cost->cpu_ns, costs->rounds);
        struct spread ratio = spread_of_ratios(cost->cpu_ns, costs->items[0].cpu_ns, costs->rounds);
        const struct report_cell cells[] = {
            report_word(who->name),
            report_word(ways[i].name),
            report_number((double)ways[i].connections),
            report_number(cpu.median),
            report_number(cpu.least),
            report_number(cpu.most),
            report_number(ratio.median),
            report_number(spread_of(cost->rate, costs->rounds).median),
            report_number(100 * cost->lost / cost->sent),
            report_number(cost->peak_memory / (1024 * 1024)),
        };
        report_row(&bench->report, cells);
    }
}

static int measure(struct bench *bench, uint64_t rate, struct costs *costs, struct error *error)
{
    const struct contenders *contenders = &bench->settings.contenders;
    for (size_t i = 0; i < contenders->count; i++) {
        const struct contender *who = &contenders->items[i];
        if (!takes_part(who))
            continue;
        for (size_t k = 0; k < WAYS; k++)
            costs->items[k].lost = costs->items[k].sent = costs->items[k].peak_memory = 0;
        for (size_t round = 0; round < costs->rounds; round++)
            if (run_round(bench, who, rate, costs, round, error) != 0)
                return -1;
        report_costs(bench, who, costs);
    }
    return 0;
}

static int play(struct bench *bench, const char *key, uint64_t rate, struct error *error)
{
    static const struct report_column columns[] = {
        {"receiver", "receiver", -16, 0},
        {"over", "over", -5, 0},
        {"connections", "connections", 12, 0},
        {"cpu_ns", "ns", 7, 0},
        {"cpu_ns_least", "least", 7, 0},
        {"cpu_ns_most", "most", 7, 0},
        {"to_udp", "/udp", 6, 2},
        {"sent_per_second", "sent/s", 8, 0},
        {"lost_percent", "lost %", 7, 3},
        {"peak_memory_mib", "MiB", 6, 1},
    };
    struct costs costs;
    char title[96];
    if (!make_costs(&costs, (size_t)bench->settings.rounds)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for measurements");
        return -1;
    }
    snprintf(title, sizeof title, "CPU a record: metric1 at %llu/s, over TCP and over UDP",
             (unsigned long long)rate);
    report_table_begin(&bench->report, key, title, columns, sizeof columns / sizeof columns[0]);
    int result = measure(bench, rate, &costs, error);
    report_table_end(&bench->report);
    free(costs.values);
    return result;
}

int part_streams(struct bench *bench, struct error *error)
{
    size_t taking_part = 0;
    for (size_t i = 0; i < bench->settings.contenders.count; i++)
        taking_part += takes_part(&bench->settings.contenders.items[i]);
    steps_expect(2 * WAYS * taking_part * bench->settings.rounds);
    if (play(bench, "streams_20000", 20000, error) != 0)
        return -1;
    return play(bench, "streams_100000", 100000, error);
}
