/* Finds the highest rate without loss, for each receiver and sender. */
#include <stdio.h>

#include "tools/bench/highest_rate.h"
#include "tools/bench/run.h"
#include "tools/bench/table.h"

/* The results of one receiver with one sender. Each series has a value for each round. */
struct found {
    struct series good;        /* the highest rate without loss; 0 means none */
    struct series sender_most; /* the sender's highest rate */
};

/*
 * Returns true if this part of the bench measures the receiver: all collectors, and CONTENDER_EDGE
 * for comparison.
 */
static bool takes_part(const struct contender *who)
{
    return who->kind == CONTENDER_EDGE || who->kind == CONTENDER_COLLECTOR;
}

static int search(const struct bench *bench, const struct contender *who, bool segmenting,
                  struct found *found, struct error *error)
{
    struct highest_rate search = highest_rate_begin(bench->settings.quick ? 0.1 : 0.03);
    while (!search.done) {
        const struct run_plan plan = {
            .who = who,
            .traffic = &traffic_metric1,
            .rate = search.next,
            .duration_ns = (int64_t)bench->settings.round_ns,
            .segmenting = segmenting,
        };
        struct run_result result;
        if (run_once(bench, &plan, &result, error) != 0)
            return -1;
        highest_rate_print(&search, result.rate, result.lost == 0);
    }
    series_add(&found->good, search.good);
    series_add(&found->sender_most, search.sender_most);
    return 0;
}

static int measure(const struct bench *bench, bool segmenting, struct found *found,
                   struct error *error)
{
    const struct contenders *contenders = &bench->settings.contenders;
    for (uint64_t round = 0; round < bench->settings.rounds; round++)
        for (size_t i = 0; i < contenders->count; i++)
            if (takes_part(&contenders->items[i]) &&
                search(bench, &contenders->items[i], segmenting, &found[i], error) != 0)
                return -1;
    return 0;
}

static void report(const struct contenders *contenders, bool segmenting, const struct found *found)
{
    static const struct table_column columns[] = {
        {"receiver", -10, 0}, {"highest", 8, 0},     {"least", 8, 0},  {"most", 8, 0},
        {"sender's", 8, 0},   {"/ sender's", 10, 2}, {"/ edge", 6, 2},
    };
    struct table table = table_begin(
        stdout,
        segmenting ? "Highest rate without loss, segmenting sender: metric1, datagrams a second; "
                     "json is to have at least 0.55 of edge"
                   : "Highest rate without loss, plain sender: metric1, datagrams a second; json "
                     "is to have the sender's",
        columns, sizeof columns / sizeof columns[0]);
    size_t edge = (size_t)(contenders_of_kind(contenders, CONTENDER_EDGE) - contenders->items);
    for (size_t i = 0; i < contenders->count; i++) {
        if (!takes_part(&contenders->items[i]))
            continue;
        struct spread good = spread_of(&found[i].good);
        const struct table_cell cells[] = {
            table_word(contenders->items[i].name),
            table_number(good.median),
            table_number(good.least),
            table_number(good.most),
            table_number(spread_of(&found[i].sender_most).median),
            table_number(spread_of_ratios(&found[i].good, &found[i].sender_most).median),
            table_number(spread_of_ratios(&found[i].good, &found[edge].good).median),
        };
        table_row(&table, cells);
    }
}

int part_rates(struct bench *bench, struct error *error)
{
    for (int segmenting = 0; segmenting < 2; segmenting++) {
        static struct found found[2][CONTENDERS_MOST];
        if (measure(bench, segmenting != 0, found[segmenting], error) != 0)
            return -1;
        report(&bench->settings.contenders, segmenting != 0, found[segmenting]);
    }
    return 0;
}
