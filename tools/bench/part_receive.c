/* Measures the processor time that a datagram costs, for all receivers in turn. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/run.h"
#include "tools/bench/table.h"

/*
 * A load, and the most that the collector with a JSON file should cost, compared with another
 * receiver.
 */
static const struct scene {
    const struct traffic *traffic;
    uint64_t rate;
    int longer; /* factor for the duration of a round: low rates need longer */
    const char *target;
} scenes[] = {
    {&traffic_metric1, 1000, 4, "3.0 of blocking"},
    {&traffic_metric1, 5000, 2, "2.0 of blocking"},
    {&traffic_metric1, 20000, 1, "1.2 of blocking"},
    {&traffic_metric1, 100000, 1, "0.8 of blocking, 1.8 of edge+pause, 8 MiB"},
    {&traffic_batch20, 20000, 1, "3.0 of edge+pause"},
};

/* Results of one contender. */
struct found {
    struct series cpu_ns;
    struct series rate;
    double lost, sent;  /* datagrams in all rounds */
    double peak_memory; /* in bytes; maximum of all rounds */
};

static void add_result(struct found *found, const struct run_result *result)
{
    series_add(&found->cpu_ns, result->cpu_ns);
    series_add(&found->rate, result->rate);
    found->lost += (double)result->lost;
    found->sent += (double)result->sent;
    if ((double)result->peak_memory > found->peak_memory)
        found->peak_memory = (double)result->peak_memory;
}

static int run_round(const struct bench *bench, const struct scene *scene, struct found *found,
                     struct error *error)
{
    const struct contenders *contenders = &bench->settings.contenders;
    for (size_t i = 0; i < contenders->count; i++) {
        const struct run_plan plan = {
            .who = &contenders->items[i],
            .traffic = scene->traffic,
            .rate = scene->rate,
            .duration_ns = scene->longer * (int64_t)bench->settings.round_ns,
        };
        struct run_result result;
        if (run_once(bench, &plan, &result, error) != 0)
            return -1;
        add_result(&found[i], &result);
    }
    return 0;
}

static const struct series *yardstick(const struct contenders *contenders,
                                      const struct found *found, enum contender_kind kind)
{
    return &found[contenders_of_kind(contenders, kind) - contenders->items].cpu_ns;
}

static void report(const struct contenders *contenders, const struct scene *scene,
                   const struct found *found)
{
    static const struct table_column columns[] = {
        {"receiver", -10, 0}, {"ns", 6, 0},          {"least", 6, 0},
        {"most", 6, 0},       {"/ blocking", 10, 2}, {"/ pause", 7, 2},
        {"sent/s", 7, 0},     {"lost %", 6, 3},      {"MiB", 5, 1},
    };
    char title[128];
    snprintf(title, sizeof title,
             "CPU a datagram: %s (%zu bytes) at %" PRIu64 "/s; json is to have at most %s",
             scene->traffic->name, scene->traffic->size, scene->rate, scene->target);
    struct table table = table_begin(stdout, title, columns, sizeof columns / sizeof columns[0]);
    const struct series *blocking = yardstick(contenders, found, CONTENDER_BLOCKING);
    const struct series *pause = yardstick(contenders, found, CONTENDER_PAUSE);
    for (size_t i = 0; i < contenders->count; i++) {
        struct spread cpu = spread_of(&found[i].cpu_ns);
        const struct table_cell cells[] = {
            table_word(contenders->items[i].name),
            table_number(cpu.median),
            table_number(cpu.least),
            table_number(cpu.most),
            table_number(spread_of_ratios(&found[i].cpu_ns, blocking).median),
            table_number(spread_of_ratios(&found[i].cpu_ns, pause).median),
            table_number(spread_of(&found[i].rate).median),
            table_number(100 * found[i].lost / found[i].sent),
            table_number(found[i].peak_memory / (1024 * 1024)),
        };
        table_row(&table, cells);
    }
}

int part_receive(struct bench *bench, struct error *error)
{
    static struct found found[CONTENDERS_MOST];
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        memset(found, 0, sizeof found);
        for (uint64_t round = 0; round < bench->settings.rounds; round++)
            if (run_round(bench, &scenes[i], found, error) != 0)
                return -1;
        report(&bench->settings.contenders, &scenes[i], found);
    }
    return 0;
}
