/*
 * The part that measures how long it takes from a send to the line in a file, or in a pipe.
 *
 * Probes go among the other datagrams, and the sender itself looks at those between two sends:
 * no other process or thread runs for it, and none has to be woken. Its figures are as fine as it
 * looks often.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/run.h"
#include "tools/bench/steps.h"

#define PROBES_A_SECOND 1000

static const uint64_t rates[] = {1000, 5000, 20000, 100000};
#define RATES (sizeof rates / sizeof rates[0])

/* What decides how late a record may be. */
static const struct way {
    const char *name;
    const char *sink_keys; /* NULL: the destination alone */
    bool pipe;
} ways[] = {
    {"file", NULL, false},
    {"pipe", NULL, true},
    {"file, at once", "flush_interval=0", false},
};
#define WAYS (sizeof ways / sizeof ways[0])

/* Of one collector, one way and one rate, all rounds together. */
struct pool {
    double *latencies;
    size_t count;
    double sent;
    double lost;
    double probes;
    double rate;    /* sum over the rounds */
    double look_ns; /* the worst of the rounds */
};

static int add_result(struct pool *pool, struct run_result *result, struct error *error)
{
    const struct load_result *load = &result->load;
    double *grown =
        realloc(pool->latencies, (pool->count + load->latency_count + 1) * sizeof *grown);
    if (grown == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for latencies");
        return -1;
    }
    pool->latencies = grown;
    if (load->latency_count != 0)
        memcpy(grown + pool->count, load->latencies, load->latency_count * sizeof *grown);
    pool->count += load->latency_count;
    pool->sent += (double)result->sent;
    pool->lost += (double)result->lost;
    pool->probes += (double)load->probes;
    pool->rate += result->rate;
    if (load->look_ns > pool->look_ns)
        pool->look_ns = load->look_ns;
    return 0;
}

static int run_one(struct bench *bench, const struct contender *who, const struct way *way,
                   uint64_t rate, struct pool *pool, struct error *error)
{
    const struct run_plan plan = {
        .who = who,
        .traffic = &traffic_metric1,
        .rate = rate,
        .duration_ns = (int64_t)bench->settings.round_ns,
        .probe_rate = PROBES_A_SECOND,
        .sink_keys = way->sink_keys,
        .pipe = way->pipe,
    };
    struct run_result result;
    if (run_once(bench, &plan, &result, error) != 0)
        return -1;
    int outcome = add_result(pool, &result, error);
    free(result.load.latencies);
    return outcome;
}

static double microseconds(const struct pool *pool, double share)
{
    return statistics_percentile(pool->latencies, pool->count, share) / 1000;
}

static int report_pool(struct bench *bench, const struct contender *who, const struct way *way,
                       uint64_t rate, struct pool *pool, struct error *error)
{
    (void)error;
    pool->count = statistics_sort(pool->latencies, pool->count);
    const struct report_cell cells[] = {
        report_word(who->name),
        report_word(way->name),
        report_number((double)rate),
        report_number(pool->rate / (double)bench->settings.rounds),
        report_number((double)pool->count),
        report_number(microseconds(pool, 0.5)),
        report_number(microseconds(pool, 0.99)),
        report_number(microseconds(pool, 0.999)),
        report_number(microseconds(pool, 1)),
        report_number(pool->look_ns / 1000),
        report_number(pool->probes - (double)pool->count),
        report_number(100 * pool->lost / pool->sent),
    };
    report_row(&bench->report, cells);
    return 0;
}

/* Whether its lines can be watched for. A key must not be given twice. */
static bool takes_part(const struct contender *who, const struct way *way)
{
    return who->kind == CONTENDER_COLLECTOR && !who->discards &&
           (way->sink_keys == NULL || strstr(who->sink_keys, "flush_interval=") == NULL);
}

struct pools {
    struct pool of[RATES][CONTENDERS_MOST][WAYS];
};

/* One visit to all that is measured; `visit` returns 0, or -1 with `error` filled. */
typedef int visit_pool(struct bench *bench, const struct contender *who, const struct way *way,
                       uint64_t rate, struct pool *pool, struct error *error);

static int visit_all(struct bench *bench, struct pools *pools, visit_pool *visit,
                     struct error *error)
{
    const struct contenders *contenders = &bench->settings.contenders;
    for (size_t r = 0; r < RATES; r++)
        for (size_t i = 0; i < contenders->count; i++)
            for (size_t w = 0; w < WAYS; w++)
                if (takes_part(&contenders->items[i], &ways[w]) &&
                    visit(bench, &contenders->items[i], &ways[w], rates[r], &pools->of[r][i][w],
                          error) != 0)
                    return -1;
    return 0;
}

/* How many are measured. */
static uint64_t pools_count(const struct bench *bench)
{
    const struct contenders *contenders = &bench->settings.contenders;
    uint64_t count = 0;
    for (size_t i = 0; i < contenders->count; i++)
        for (size_t w = 0; w < WAYS; w++)
            count += takes_part(&contenders->items[i], &ways[w]) ? RATES : 0;
    return count;
}

static void free_pools(struct pools *pools)
{
    struct pool *all = &pools->of[0][0][0];
    for (size_t i = 0; i < sizeof *pools / sizeof *all; i++)
        free(all[i].latencies);
    free(pools);
}

static void report_all(struct bench *bench, struct pools *pools, struct error *error)
{
    static const struct report_column columns[] = {
        {"receiver", "receiver", -12, 0}, {"to", "to", -13, 0},
        {"rate", "rate", 7, 0},           {"sent_per_second", "sent/s", 7, 0},
        {"probes", "probes", 7, 0},       {"median_us", "median", 8, 0},
        {"p99_us", "99%", 8, 0},          {"p999_us", "99.9%", 8, 0},
        {"most_us", "most", 8, 0},        {"look_us", "looked", 7, 1},
        {"unseen", "unseen", 7, 0},       {"lost_percent", "lost %", 7, 3},
    };
    report_table_begin(&bench->report, "latency",
                       "Latency from send to line in the file or pipe: metric1, us", columns,
                       sizeof columns / sizeof columns[0]);
    visit_all(bench, pools, report_pool, error);
    report_table_end(&bench->report);
    report_note(&bench->report,
                "It was looked at the file at least every \"looked\" us, but for 1 of 100 "
                "times: no latency is shown more finely.");
}

int part_latency(struct bench *bench, struct error *error)
{
    struct pools *pools = calloc(1, sizeof *pools);
    if (pools == NULL)
        return error_no_memory(error);
    int result = 0;
    steps_expect(pools_count(bench) * bench->settings.rounds);
    for (uint64_t round = 0; result == 0 && round < bench->settings.rounds; round++)
        result = visit_all(bench, pools, run_one, error);
    if (result == 0)
        report_all(bench, pools, error);
    free_pools(pools);
    return result;
}
