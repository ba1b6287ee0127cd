/* The part that measures whether a datagram costs more where there is more of something. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/bench/encoding.h"
#include "tools/bench/run.h"
#include "tools/bench/steps.h"

#define DEFAULT_RATE UINT64_C(50000)

/* Senders that the system spreads over several receivers. */
#define SPREAD 64

/* Many of one thing, beside one of it. */
static const struct growth {
    const char *name;
    double factor; /* how many there are */
    size_t listeners;
    size_t receivers;
    size_t sinks;
    uint32_t sources;
    bool spread;
} growths[] = {
    {"listeners", 64, 64, 1, 1, 0, false},    {"senders", 10000, 1, 1, 1, 10000, false},
    {"receivers", 2, 1, 2, 1, SPREAD, false}, {"receivers", 4, 1, 4, 1, SPREAD, false},
    {"spread", 2, 1, 2, 1, 0, true},          {"spread", 4, 1, 4, 1, 0, true},
    {"sinks", 8, 1, 1, 8, 0, false},
};
#define GROWTHS (sizeof growths / sizeof growths[0])

struct scale {
    size_t rounds;
    double *values;
    double *one;            /* CPU a datagram, by round */
    double *many[GROWTHS];  /* the same */
    double *share[GROWTHS]; /* what each one more adds */
};

static bool make_scale(struct scale *scale, size_t rounds)
{
    *scale = (struct scale){.rounds = rounds,
                            .values = calloc((1 + 2 * GROWTHS) * rounds, sizeof *scale->values)};
    scale->one = scale->values;
    for (size_t i = 0; i < GROWTHS; i++) {
        scale->many[i] = scale->values + (1 + 2 * i) * rounds;
        scale->share[i] = scale->values + (2 + 2 * i) * rounds;
    }
    return scale->values != NULL;
}

static uint64_t rate_of(const struct bench *bench)
{
    return bench->settings.rate_given ? bench->settings.rate : DEFAULT_RATE;
}

/* `growth` NULL: one of everything. */
static int cost_of(const struct bench *bench, const struct contender *who,
                   const struct growth *growth, double *cpu_ns, struct error *error)
{
    const struct run_plan plan = {
        .who = who,
        .traffic = &traffic_metric1,
        .rate = rate_of(bench),
        .duration_ns = (int64_t)bench->settings.round_ns,
        .listeners = growth == NULL ? 1 : growth->listeners,
        .receivers = growth == NULL ? 1 : growth->receivers,
        .sinks = growth == NULL ? 1 : growth->sinks,
        .sources = growth == NULL ? 0 : growth->sources,
        .spread = growth != NULL && growth->spread,
    };
    struct run_result result;
    if (run_once(bench, &plan, &result, error) != 0)
        return -1;
    *cpu_ns = result.cpu_ns;
    return 0;
}

/*
 * A null receiver is one, and has no sinks. Those that write nothing show what a sink costs without
 * the system's share, its file; of the rest they show what others do.
 */
static bool can_grow(const struct contender *who, const struct growth *growth)
{
    if (who->kind == CONTENDER_COLLECTOR)
        return !who->discards || growth->sinks > 1;
    /* It is most like the collector. */
    return who->kind == CONTENDER_PAUSE && growth->sinks == 1 && growth->receivers == 1;
}

static bool grows(const struct contender *who)
{
    for (size_t i = 0; i < GROWTHS; i++)
        if (can_grow(who, &growths[i]))
            return true;
    return false;
}

static uint64_t runs_of(const struct bench *bench)
{
    const struct contenders *contenders = &bench->settings.contenders;
    uint64_t runs = 0;
    for (size_t i = 0; i < contenders->count; i++) {
        runs += grows(&contenders->items[i]);
        for (size_t k = 0; k < GROWTHS; k++)
            runs += can_grow(&contenders->items[i], &growths[k]);
    }
    return runs * bench->settings.rounds;
}

static int measure(const struct bench *bench, const struct contender *who, struct scale *scale,
                   struct error *error)
{
    for (size_t round = 0; round < scale->rounds; round++) {
        if (cost_of(bench, who, NULL, &scale->one[round], error) != 0)
            return -1;
        for (size_t i = 0; i < GROWTHS; i++) {
            double *many = &scale->many[i][round];
            if (!can_grow(who, &growths[i]))
                continue;
            if (cost_of(bench, who, &growths[i], many, error) != 0)
                return -1;
            scale->share[i][round] = (*many - scale->one[round]) / (growths[i].factor - 1);
        }
    }
    return 0;
}

static void report_growths(struct bench *bench, const struct contender *who,
                           const struct scale *scale)
{
    for (size_t i = 0; i < GROWTHS; i++) {
        if (!can_grow(who, &growths[i]))
            continue;
        struct spread ratio = spread_of_ratios(scale->many[i], scale->one, scale->rounds);
        const struct report_cell cells[] = {
            report_word(who->name),
            report_word(growths[i].name),
            report_number(growths[i].factor),
            report_number(spread_of(scale->one, scale->rounds).median),
            report_number(spread_of(scale->many[i], scale->rounds).median),
            report_number(ratio.median),
            report_number(ratio.least),
            report_number(ratio.most),
            report_number(spread_of(scale->share[i], scale->rounds).median),
        };
        report_row(&bench->report, cells);
    }
}

/* What a sink has to do at the least, for comparison: the encoding alone. */
static int note_encoding(struct bench *bench, struct error *error)
{
    struct encoding_cost costs[ENCODING_MOST];
    struct workload workload = {0};
    int count = -1;
    if (workload_of_traffic(&workload, &traffic_metric1, error) == 0)
        count = encoding_measure(&workload, (size_t)bench->settings.rounds, bench_stage_ns(bench),
                                 costs, error);
    if (count > 0)
        report_note(&bench->report, "Encoding alone, by %s: %.0f ns a record.", costs[0].name,
                    costs[0].nanoseconds);
    workload_clear(&workload);
    return count < 0 ? -1 : 0;
}

int part_scale(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"receiver", "receiver", -16, 0}, {"of", "of", -10, 0},         {"many", "many", 6, 0},
        {"one_ns", "one", 7, 0},          {"many_ns", "many", 7, 0},    {"ratio", "ratio", 6, 2},
        {"ratio_least", "least", 6, 2},   {"ratio_most", "most", 6, 2}, {"share_ns", "each", 7, 1},
    };
    const struct contenders *contenders = &bench->settings.contenders;
    struct scale scale;
    char title[96];
    if (!make_scale(&scale, (size_t)bench->settings.rounds)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for measurements");
        return -1;
    }
    uint64_t rate = rate_of(bench);
    if (rate == 0)
        snprintf(title, sizeof title,
                 "CPU a datagram where there is more: metric1 as fast as it can be sent, ns");
    else
        snprintf(title, sizeof title,
                 "CPU a datagram where there is more: metric1 at %" PRIu64 "/s, ns", rate);
    report_table_begin(&bench->report, "scale", title, columns, sizeof columns / sizeof columns[0]);
    int result = 0;
    steps_expect(runs_of(bench));
    for (size_t i = 0; result == 0 && i < contenders->count; i++) {
        const struct contender *who = &contenders->items[i];
        if (!grows(who))
            continue;
        result = measure(bench, who, &scale, error);
        if (result == 0)
            report_growths(bench, who, &scale);
    }
    report_table_end(&bench->report);
    free(scale.values);
    return result == 0 ? note_encoding(bench, error) : -1;
}
