/* The part that measures what a datagram costs each receiver, one beside the other. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/bench/run.h"
#include "tools/bench/steps.h"

/* One load, and the targets that it is about. */
struct scene {
    const char *key;
    const struct traffic *traffic;
    uint64_t rate;
    int longer; /* a round is so many times as long: where little comes, it is measured for longer
                 */
    bool segmenting;
    int blocking_target; /* -1: none */
    int pause_target;
};

/* What the rounds found of one contender. */
struct column {
    double *cpu_ns; /* by round */
    double *rate;
    double lost; /* of all rounds together */
    double sent;
    double peak_memory; /* bytes */
};

struct grid {
    const struct contenders *contenders;
    size_t rounds;
    double *values; /* all columns' rounds */
    struct column columns[CONTENDERS_MOST];
};

static bool make_grid(struct grid *grid, const struct bench *bench)
{
    grid->contenders = &bench->settings.contenders;
    grid->rounds = (size_t)bench->settings.rounds;
    grid->values = calloc(2 * CONTENDERS_MOST * grid->rounds, sizeof *grid->values);
    if (grid->values == NULL)
        return false;
    for (size_t i = 0; i < CONTENDERS_MOST; i++)
        grid->columns[i] = (struct column){.cpu_ns = grid->values + 2 * i * grid->rounds,
                                           .rate = grid->values + (2 * i + 1) * grid->rounds};
    return true;
}

static int run_round(const struct bench *bench, const struct scene *scene, struct grid *grid,
                     size_t round, struct error *error)
{
    for (size_t i = 0; i < grid->contenders->count; i++) {
        const struct run_plan plan = {
            .who = &grid->contenders->items[i],
            .traffic = scene->traffic,
            .rate = scene->rate,
            .duration_ns = scene->longer * (int64_t)bench->settings.round_ns,
            .segmenting = scene->segmenting,
        };
        struct run_result result;
        if (run_once(bench, &plan, &result, error) != 0)
            return -1;
        struct column *column = &grid->columns[i];
        column->cpu_ns[round] = result.cpu_ns;
        column->rate[round] = result.rate;
        column->lost += (double)result.lost;
        column->sent += (double)result.sent;
        if ((double)result.peak_memory > column->peak_memory)
            column->peak_memory = (double)result.peak_memory;
    }
    return 0;
}

static const double *yardstick(const struct grid *grid, enum contender_kind kind)
{
    return grid->columns[contenders_of_kind(grid->contenders, kind) - grid->contenders->items]
        .cpu_ns;
}

static void report_contender(struct bench *bench, const struct grid *grid, size_t index)
{
    const struct column *column = &grid->columns[index];
    struct spread cpu = spread_of(column->cpu_ns, grid->rounds);
    struct spread blocking =
        spread_of_ratios(column->cpu_ns, yardstick(grid, CONTENDER_BLOCKING), grid->rounds);
    struct spread pause =
        spread_of_ratios(column->cpu_ns, yardstick(grid, CONTENDER_PAUSE), grid->rounds);
    const struct report_cell cells[] = {
        report_word(grid->contenders->items[index].name),
        report_number(cpu.median),
        report_number(cpu.least),
        report_number(cpu.most),
        report_number(blocking.median),
        report_number(pause.median),
        report_number(spread_of(column->rate, grid->rounds).median),
        report_number(100 * column->lost / column->sent),
        report_number(column->peak_memory / (1024 * 1024)),
    };
    report_row(&bench->report, cells);
}

static void note_targets(struct bench *bench, const struct scene *scene, const struct grid *grid)
{
    for (size_t i = 0; i < grid->contenders->count; i++) {
        const struct contender *who = &grid->contenders->items[i];
        const struct column *column = &grid->columns[i];
        double memory = column->peak_memory / (1024 * 1024);
        if (who->kind != CONTENDER_COLLECTOR || who->discards)
            continue;
        if (scene->blocking_target >= 0)
            targets_add(&bench->targets, (enum target)scene->blocking_target, who->name,
                        spread_of_ratios(column->cpu_ns, yardstick(grid, CONTENDER_BLOCKING),
                                         grid->rounds));
        if (scene->pause_target >= 0)
            targets_add(
                &bench->targets, (enum target)scene->pause_target, who->name,
                spread_of_ratios(column->cpu_ns, yardstick(grid, CONTENDER_PAUSE), grid->rounds));
        if (scene->blocking_target == TARGET_METRIC1_BLOCKING)
            targets_add(&bench->targets, TARGET_MEMORY, who->name, spread_of(&memory, 1));
    }
}

static void report_scene(struct bench *bench, const struct scene *scene, const struct grid *grid)
{
    static const struct report_column columns[] = {
        {"receiver", "receiver", -16, 0},    {"cpu_ns", "ns", 7, 0},
        {"cpu_ns_least", "least", 7, 0},     {"cpu_ns_most", "most", 7, 0},
        {"to_blocking", "/blocking", 9, 2},  {"to_edge_pause", "/pause", 7, 2},
        {"sent_per_second", "sent/s", 8, 0}, {"lost_percent", "lost %", 7, 3},
        {"peak_memory_mib", "MiB", 6, 1},
    };
    char title[128];
    snprintf(title, sizeof title, "CPU a datagram: %s (%zu bytes) at %llu/s, %s sender",
             scene->traffic->name, scene->traffic->size, (unsigned long long)scene->rate,
             scene->segmenting ? "segmenting" : "plain");
    report_table_begin(&bench->report, scene->key, title, columns,
                       sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < grid->contenders->count; i++)
        report_contender(bench, grid, i);
    report_table_end(&bench->report);
    note_targets(bench, scene, grid);
}

static int play(struct bench *bench, const struct scene *scene, struct error *error)
{
    struct grid grid;
    int result = 0;
    if (!make_grid(&grid, bench)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for measurements");
        return -1;
    }
    for (size_t round = 0; result == 0 && round < grid.rounds; round++)
        result = run_round(bench, scene, &grid, round, error);
    if (result == 0)
        report_scene(bench, scene, &grid);
    free(grid.values);
    return result;
}

int part_receive(struct bench *bench, struct error *error)
{
    static const struct scene scenes[] = {
        {"receive_metric1_1000", &traffic_metric1, 1000, 4, false, TARGET_METRIC1_1000, -1},
        {"receive_metric1_5000", &traffic_metric1, 5000, 2, false, TARGET_METRIC1_5000, -1},
        {"receive_metric1_20000", &traffic_metric1, 20000, 1, false, TARGET_METRIC1_20000, -1},
        {"receive_metric1", &traffic_metric1, 100000, 1, false, TARGET_METRIC1_BLOCKING,
         TARGET_METRIC1_PAUSE},
        {"receive_batch20", &traffic_batch20, 20000, 1, false, -1, TARGET_BATCH20_PAUSE},
        {"receive_metric1_segmenting", &traffic_metric1, 100000, 1, true, -1, -1},
    };
    steps_expect(sizeof scenes / sizeof scenes[0] * bench->settings.contenders.count *
                 bench->settings.rounds);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (play(bench, &scenes[i], error) != 0)
            return -1;
    return 0;
}
