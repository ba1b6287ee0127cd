/*
 * Tests all operations of a spill in random order, compared with a model: a list of the blocks that
 * must be read, their order, and each count.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/support/base/random_number.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

#define BLOCKS_MAX 4000

enum fate { WAITING, READ, ACKNOWLEDGED, EVICTED };

struct model {
    enum fate fates[BLOCKS_MAX];
    uint64_t end;    /* number of the next block */
    uint64_t oldest; /* no block before it is WAITING or READ */
    uint64_t evicted;
    uint64_t acknowledged;
    uint64_t appended;
    uint64_t recovered;
};

static uint64_t first_with(const struct model *model, enum fate fate)
{
    for (uint64_t number = model->oldest; number < model->end; number++)
        if (model->fates[number] == fate)
            return number;
    return model->end;
}

static void settle(struct model *model)
{
    while (model->oldest < model->end && model->fates[model->oldest] >= ACKNOWLEDGED)
        model->oldest++;
}

static void do_append(struct model *model, struct spill *spill)
{
    if (model->end == BLOCKS_MAX || spilling_offer(spill, model->end, NULL) != SPILL_STORED)
        return;
    model->fates[model->end] = WAITING;
    model->appended += spilling_count(model->end++);
}

static void do_read(struct model *model, struct spill *spill)
{
    uint64_t number;
    uint64_t expected = first_with(model, WAITING);
    assert_int_equal(spilling_read(spill, &number), expected != model->end);
    if (expected == model->end)
        return;
    assert_int_equal(number, expected);
    model->fates[number] = READ;
}

static void do_acknowledge(struct model *model, struct spill *spill)
{
    uint64_t number = first_with(model, READ);
    if (number == model->end)
        return;
    acknowledge_oldest(spill);
    model->fates[number] = ACKNOWLEDGED;
    model->acknowledged += spilling_count(number);
    settle(model);
}

/*
 * Rewinds the spill. The model cannot know which block is read next, because blocks that were read
 * may have been evicted. So it takes this number from the spill. The records before that block must
 * count as evicted.
 */
static void do_rewind(struct model *model, struct spill *spill)
{
    uint64_t number;
    spill_rewind(spill);
    bool found = spilling_read(spill, &number);
    if (!found)
        number = model->end;
    for (uint64_t i = model->oldest; i < model->end; i++) {
        if (model->fates[i] != READ && model->fates[i] != WAITING)
            continue;
        if (i < number) {
            assert_int_equal(model->fates[i], READ);
            model->fates[i] = EVICTED;
            model->evicted += spilling_count(i);
        } else {
            model->fates[i] = i == number ? READ : WAITING;
        }
    }
    settle(model);
}

static void do_evict(struct model *model, struct spill *spill)
{
    uint64_t records;
    if (!spill_evict(spill, &records, NULL))
        return;
    for (uint64_t number = model->oldest; records > 0; number++) {
        assert_in_range(number, model->oldest, model->end - 1);
        if (model->fates[number] != WAITING)
            continue;
        assert_true(spilling_count(number) <= records);
        records -= spilling_count(number);
        model->fates[number] = EVICTED;
        model->evicted += spilling_count(number);
    }
    settle(model);
}

static void check(const struct model *model, const struct spill *spill)
{
    struct spill_counts counts = spilling_counts(spill);
    assert_int_equal(counts.recovered, model->recovered);
    assert_int_equal(counts.appended, model->appended);
    assert_int_equal(counts.acknowledged, model->acknowledged);
    assert_int_equal(counts.evicted, model->evicted);
    assert_int_equal(counts.lost, 0);
}

/*
 * Closes and opens the spill. Blocks that were read but not acknowledged are read again, unless
 * they were evicted.
 */
static struct spill *do_restart(struct model *model, struct spill *spill,
                                const struct spill_settings *settings)
{
    do_rewind(model, spill);
    check(model, spill);
    uint64_t held = spilling_counts(spill).held;
    spilling_close(spill);
    spill = spilling_open_with(settings);
    for (uint64_t number = model->oldest; number < model->end; number++)
        if (model->fates[number] == READ)
            model->fates[number] = WAITING;
    model->recovered = held;
    model->appended = model->acknowledged = model->evicted = 0;
    return spill;
}

static void run(uint64_t seed, bool restarts)
{
    static struct model model;
    memset(&model, 0, sizeof model);
    struct spill_settings settings = spilling_settings();
    settings.size = (3 + next_below(&seed, 8)) * SPILLING_SEGMENT;
    settings.window = BLOCKS_MAX;
    struct spill *spill = spilling_open_with(&settings);
    for (unsigned step = 0; step < 1500; step++) {
        uint64_t what = next_below(&seed, 100);
        if (what < 40)
            do_append(&model, spill);
        else if (what < 65)
            do_read(&model, spill);
        else if (what < 90)
            do_acknowledge(&model, spill);
        else if (what < 93)
            do_rewind(&model, spill);
        else if (what < 95)
            do_evict(&model, spill);
        else if (what < 99 || !restarts)
            spilling_tick(spill);
        else
            spill = do_restart(&model, spill, &settings);
        check(&model, spill);
    }
    while (first_with(&model, WAITING) != model.end)
        do_read(&model, spill);
    while (first_with(&model, READ) != model.end)
        do_acknowledge(&model, spill);
    check(&model, spill);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

TEST_WITH(in_any_order_of_operations_each_block_has_one_outcome, scratch_make, scratch_remove)
{
    (void)state;
    for (uint64_t seed = 0; seed < TEST_SEEDS; seed++)
        run(seed, seed % 2 != 0);
}
