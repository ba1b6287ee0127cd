#include "tests/simulation/plan.h"

#include "tests/simulation/world.h"

#define OF_PLANS UINT64_C(0x7c15000000000000)

void plan_make(struct plan *plan, uint64_t seed)
{
    static const enum plan_end ends[] = {END_AT_ANY_TIME, END_AT_ANY_TIME, END_BY_A_STOP,
                                         END_AT_A_MOMENT};
    world_begin(seed ^ OF_PLANS);
    *plan = (struct plan){.end = ends[world_below(sizeof ends / sizeof ends[0])]};
    if (plan->end == END_AT_ANY_TIME && world_chance(150))
        plan->end = END_IN_AN_OUTAGE;
    if (plan->end == END_AT_ANY_TIME)
        return;
    plan->spills = world_chance(800);
    if (plan->end == END_IN_AN_OUTAGE)
        return;
    plan->is_stubborn = world_chance(500);
    if (plan->end == END_BY_A_STOP)
        plan->disk_fails = world_chance(600);
    else
        plan->scatters = world_chance(700);
}

/*
 * Chooses the moment of a kill. Half of the kills come after a spill has stored a block, because
 * the blocks on disk must agree with the blocks at the far end.
 */
static void choose_moment(struct life_plan *its)
{
    static const unsigned most[] = {1, 1, 4, 40};
    bool is_of_spill = world_chance(500);
    its->moment = is_of_spill ? MOMENT_BLOCK_IS_STORED : (enum moment)world_below(MOMENTS);
    its->nth = 1 + (unsigned)world_below(most[world_below(sizeof most / sizeof most[0])]);
    its->steps = (unsigned)world_below(world_chance(700) ? 3 : 40);
}

/* Chooses an outage of the far ends: at a random time, or just before the stop. */
static void choose_outage(const struct plan *plan, struct life_plan *its)
{
    its->breaks_off_last = plan->end == END_BY_A_STOP && world_chance(500);
    if (!its->breaks_off_last && world_chance(800))
        its->breaks_off_ns = (int64_t)world_below(1000) * MILLISECONDS;
    its->falls_silent = world_chance(plan->end == END_AT_A_MOMENT ? 900 : 500);
    if (plan->disk_fails && world_chance(600))
        its->faults = 30 + (unsigned)world_below(200);
}

/* Chooses an outage, and a kill up to four seconds after its beginning. */
static void choose_long_outage(struct life_plan *its)
{
    its->breaks_off_ns = (int64_t)world_below(300) * MILLISECONDS;
    its->falls_silent = its->stays_silent = world_chance(800);
    its->cuts_ns = (int64_t)world_below(4000) * MILLISECONDS;
}

void plan_life(const struct plan *plan, uint64_t seed, unsigned life, bool last,
               struct life_plan *its)
{
    *its = (struct life_plan){
        .breaks_off_ns = WORLD_NEVER, .mends_ns = WORLD_NEVER, .cuts_ns = WORLD_NEVER};
    if (plan->end == END_AT_ANY_TIME)
        return;
    world_begin((seed * 1000 + life) ^ OF_PLANS);
    if (plan->end == END_IN_AN_OUTAGE) {
        if (!last)
            choose_long_outage(its);
        return;
    }
    its->begins_well = world_chance(800);
    if (world_chance(plan->end == END_AT_A_MOMENT || plan->disk_fails ? 400 : 0)) {
        its->read_faults = 100 + (unsigned)world_below(500);
        its->reads_mend_ns = (int64_t)world_below(world_chance(500) ? 20 : 1000) * MILLISECONDS;
    }
    its->stops_early = world_chance(500);
    if (world_chance(500))
        its->mends_ns = (int64_t)world_below(400) * MILLISECONDS;
    if (!last)
        choose_outage(plan, its);
    choose_moment(its);
}
