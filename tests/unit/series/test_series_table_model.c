/*
 * Compares the table of series with a simple list for random samples: both know, add and refuse the
 * same series. The clock hand of the table determines when idle series are forgotten. Therefore the
 * model reads from the table which series were forgotten, and asserts that they were idle for
 * longer than the timeout.
 */
#include <stdlib.h>

#include "collector/series/series_table.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define MOST_SERIES  300
#define MOST_SENDERS 12
#define STEPS        20000

struct model_series {
    bool there;
    uint32_t seen_s;
    unsigned sender;
};

struct model {
    struct series_table_options options;
    struct series_table *table;
    uint64_t state;
    uint32_t now_s;
    size_t count;
    size_t of_sender[MOST_SENDERS];
    struct model_series series[MOST_SERIES];
};

static uint64_t print_of(const struct model *model, uint64_t number)
{
    /*
     * For tables of even size, all fingerprints begin near the end of the table, so that runs of
     * slots wrap around.
     */
    uint64_t print = next_random(&number);
    return model->options.series % 2 == 0 ? print | UINT64_C(0xffffff0000000000) : print;
}

static bool may_be_forgotten(const struct model *model, const struct model_series *series)
{
    return model->now_s - series->seen_s > model->options.timeout_s;
}

static void model_forget(struct model *model, struct model_series *series)
{
    assert_true(may_be_forgotten(model, series));
    series->there = false;
    model->count--;
    model->of_sender[series->sender]--;
}

static bool is_any_idle(const struct model *model, int sender)
{
    for (size_t i = 0; i < MOST_SERIES; i++) {
        const struct model_series *series = &model->series[i];
        if (series->there && (sender < 0 || series->sender == (unsigned)sender) &&
            may_be_forgotten(model, series))
            return true;
    }
    return false;
}

/*
 * Removes the series from the model that the table has forgotten. Looking them up must not count as
 * use.
 */
static void take_forgotten(struct model *model)
{
    if (series_table_count(model->table) == model->count)
        return;
    for (size_t i = 0; i < MOST_SERIES; i++) {
        struct model_series *series = &model->series[i];
        if (!series->there)
            continue;
        if (!series_table_touch(model->table, print_of(model, i), series->seen_s))
            model_forget(model, series);
    }
    assert_int_equal(series_table_count(model->table), model->count);
}

static void add(struct model *model, size_t at, unsigned sender)
{
    enum series_verdict verdict = series_table_add(model->table, print_of(model, at),
                                                   print_of(model, 1000 + sender), model->now_s);
    size_t per_sender = model->options.per_sender;
    if (verdict == SERIES_ADDED) {
        model->series[at] = (struct model_series){true, model->now_s, sender};
        model->count++;
        model->of_sender[sender]++;
        take_forgotten(model);
        assert_true(model->count <= model->options.series);
        assert_true(per_sender == 0 || model->of_sender[sender] <= per_sender);
        return;
    }
    take_forgotten(model);
    if (verdict == SERIES_SENDER_FULL) {
        assert_int_equal(model->of_sender[sender], per_sender);
        /*
         * A table of this size is searched completely, so it would have forgotten an idle series of
         * this sender.
         */
        assert_false(is_any_idle(model, (int)sender));
    } else {
        assert_int_equal(model->count, model->options.series);
        assert_false(is_any_idle(model, -1));
    }
}

static void step(struct model *model)
{
    size_t at = next_below(&model->state, MOST_SERIES);
    unsigned sender = (unsigned)next_below(&model->state, MOST_SENDERS);
    struct model_series *series = &model->series[at];
    model->now_s += next_below(&model->state, 20) == 0 ? (uint32_t)next_below(&model->state, 9) : 0;
    series_table_tick(model->table, model->now_s);
    take_forgotten(model);
    assert_int_equal(series_table_touch(model->table, print_of(model, at), model->now_s),
                     series->there);
    if (series->there)
        series->seen_s = model->now_s;
    else
        add(model, at, sender);
}

static void run(size_t series, size_t per_sender, uint32_t timeout_s, uint64_t seed)
{
    struct model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    model->options = (struct series_table_options){series, per_sender, timeout_s};
    model->state = seed;
    model->now_s = (uint32_t)next_random(&model->state);
    model->table = series_table_create(&model->options);
    assert_non_null(model->table);
    for (size_t i = 0; i < STEPS; i++)
        step(model);
    series_table_destroy(model->table);
    free(model);
}

TEST(the_table_agrees_with_a_list_of_series)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run(1, 0, 1, seed);
        run(50, 0, 30, seed);
        run(51, 7, 20, seed);
        run(120, 20, 5, seed);
        run(151, 0, 1000000, seed);
        run(180, 30, 60, seed);
    }
}
