#include "tools/command/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t seen;

static void note(int number)
{
    seen = 1;
    signal(number, SIG_DFL);
}

void interrupt_catch(void)
{
    signal(SIGINT, note);
    signal(SIGTERM, note);
}

bool interrupt_seen(void)
{
    return seen != 0;
}
