/* The part that finds the highest rate at which nothing is lost, for each receiver and sender. */
#include <stdlib.h>

#include "tools/bench/highest_rate.h"
#include "tools/bench/run.h"
#include "tools/bench/steps.h"

/* Of a search, as a rule. */
#define USUAL_RUNS 8

/* What the rounds found of one receiver under one sender. */
struct found {
    const struct contender *who;
    bool segmenting;
    double *good;        /* by round: the highest rate without loss; 0: none was found */
    double *sender_most; /* by round: what the sender came to at its fastest */
    double *share;       /* by round: good / sender_most, 1 where nothing was lost at the fastest */
};

struct rates {
    struct found items[2 * CONTENDERS_MOST];
    size_t count;
    size_t rounds;
    double *values;
};

/* The yardstick is the edge-triggered null receiver; other null receivers say nothing here. */
static bool takes_part(const struct contender *who)
{
    return who->kind == CONTENDER_EDGE || who->kind == CONTENDER_COLLECTOR;
}

static bool make_rates(struct rates *rates, const struct bench *bench)
{
    const struct contenders *contenders = &bench->settings.contenders;
    *rates = (struct rates){.rounds = (size_t)bench->settings.rounds};
    rates->values = calloc(3 * 2 * CONTENDERS_MOST * rates->rounds, sizeof *rates->values);
    if (rates->values == NULL)
        return false;
    for (int segmenting = 0; segmenting < 2; segmenting++)
        for (size_t i = 0; i < contenders->count; i++) {
            if (!takes_part(&contenders->items[i]))
                continue;
            double *values = rates->values + 3 * rates->count * rates->rounds;
            rates->items[rates->count++] = (struct found){
                .who = &contenders->items[i],
                .segmenting = segmenting != 0,
                .good = values,
                .sender_most = values + rates->rounds,
                .share = values + 2 * rates->rounds,
            };
        }
    return true;
}

static int search(const struct bench *bench, const struct found *found, size_t round,
                  struct error *error)
{
    struct highest_rate search = highest_rate_begin(bench->settings.quick ? 0.1 : 0.03);
    while (!search.done) {
        const struct run_plan plan = {
            .who = found->who,
            .traffic = &traffic_metric1,
            .rate = search.next,
            .duration_ns = (int64_t)bench->settings.round_ns,
            .segmenting = found->segmenting,
        };
        struct run_result result;
        if (run_once(bench, &plan, &result, error) != 0)
            return -1;
        highest_rate_print(&search, result.rate, result.lost == 0);
    }
    found->good[round] = search.good;
    found->sender_most[round] = search.sender_most;
    found->share[round] = search.bad == 0                    ? 1
                          : search.good < search.sender_most ? search.good / search.sender_most
                                                             : 1;
    return 0;
}

static const struct found *yardstick(const struct rates *rates, const struct found *of)
{
    for (size_t i = 0; i < rates->count; i++)
        if (rates->items[i].who->kind == CONTENDER_EDGE &&
            rates->items[i].segmenting == of->segmenting)
            return &rates->items[i];
    return of;
}

static void report_found(struct bench *bench, const struct rates *rates, const struct found *found)
{
    struct spread good = spread_of(found->good, rates->rounds);
    struct spread share = spread_of(found->share, rates->rounds);
    struct spread to_edge =
        spread_of_ratios(found->good, yardstick(rates, found)->good, rates->rounds);
    const struct report_cell cells[] = {
        report_word(found->segmenting ? "segmenting" : "plain"),
        report_word(found->who->name),
        report_number(good.median),
        report_number(good.least),
        report_number(good.most),
        report_number(spread_of(found->sender_most, rates->rounds).median),
        report_number(share.median),
        report_number(to_edge.median),
    };
    report_row(&bench->report, cells);
    if (found->who->kind != CONTENDER_COLLECTOR || found->who->discards)
        return;
    targets_add(&bench->targets, found->segmenting ? TARGET_SEGMENTING_RATE : TARGET_PLAIN_RATE,
                found->who->name, found->segmenting ? to_edge : share);
}

int part_rates(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"sender", "sender", -11, 0},      {"receiver", "receiver", -16, 0},
        {"rate", "highest", 8, 0},         {"rate_least", "least", 8, 0},
        {"rate_most", "most", 8, 0},       {"sender_most", "sender's", 9, 0},
        {"to_sender", "/sender's", 10, 2}, {"to_edge", "/edge", 6, 2},
    };
    struct rates rates;
    int result = 0;
    if (!make_rates(&rates, bench)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for measurements");
        return -1;
    }
    steps_expect(rates.count * rates.rounds * USUAL_RUNS);
    for (size_t round = 0; result == 0 && round < rates.rounds; round++)
        for (size_t i = 0; result == 0 && i < rates.count; i++)
            result = search(bench, &rates.items[i], round, error);
    if (result == 0) {
        report_table_begin(&bench->report, "rates",
                           "Highest rate without loss: metric1, datagrams a second", columns,
                           sizeof columns / sizeof columns[0]);
        for (size_t i = 0; i < rates.count; i++)
            report_found(bench, &rates, &rates.items[i]);
        report_table_end(&bench->report);
    }
    free(rates.values);
    return result;
}
