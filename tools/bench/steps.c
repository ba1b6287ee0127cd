#include "tools/bench/steps.h"

#include "collector/base/progress.h"

#define PARTS_SHARE 1000 /* what a part is of the whole, in units of it */

static struct {
    const char *name;
    size_t index, parts;
    uint64_t begun, expected; /* steps; 0 expected: not known */
} now;

static void report(uint64_t done)
{
    uint64_t within = 0;
    if (now.expected != 0)
        within = done < now.expected ? PARTS_SHARE * done / now.expected : PARTS_SHARE - 1;
    progress_report(&(struct progress){
        .doing = "measuring",
        .name = now.name,
        .done = PARTS_SHARE * now.index + within,
        .total = PARTS_SHARE * now.parts,
        .unit = PROGRESS_STEPS,
    });
}

void steps_begin_part(const char *name, size_t index, size_t parts)
{
    now.name = name;
    now.index = index;
    now.parts = parts;
    now.begun = now.expected = 0;
    report(0);
}

void steps_expect(uint64_t steps)
{
    now.expected = steps;
}

void steps_next(void)
{
    report(now.begun++);
}

void steps_end(void)
{
    progress_end();
}
