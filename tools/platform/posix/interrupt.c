/* tools/command/interrupt.h by signals. */
#include "tools/command/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;
static void (*volatile tell)(void *context);
static void *volatile tell_context;

static void note(int number)
{
    seen = 1;
    signal(number, SIG_DFL);
    if (tell != NULL)
        tell(tell_context);
}

void interrupt_catch(void)
{
    signal(SIGINT, note);
    signal(SIGTERM, note);
}

void interrupt_tell(void (*told)(void *context), void *context)
{
    tell = NULL;
    tell_context = context;
    tell = told;
}

bool interrupt_seen(void)
{
    return seen != 0;
}
