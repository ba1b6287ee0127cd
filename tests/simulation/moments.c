#include "tests/simulation/moments.h"

#include "tests/simulation/world.h"

static struct {
    enum moment moment;
    unsigned left; /* remaining occurrences up to the chosen one; 0 if no moment is chosen */
    unsigned steps;
    void (*then)(void);
} aim;

void moment_aim(enum moment moment, unsigned nth, unsigned steps, void (*then)(void))
{
    aim.moment = moment;
    aim.left = nth;
    aim.steps = steps;
    aim.then = then;
}

void moment_comes(enum moment moment)
{
    if (aim.left != 0 && moment == aim.moment && --aim.left == 0)
        world_after(aim.steps, aim.then);
}
