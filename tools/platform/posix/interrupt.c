/* Implements tools/command/interrupt.h on POSIX with signals. */
#include "tools/command/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;
static void (*volatile call)(void *context);
static void *volatile call_context;

static void note(int number)
{
    seen = 1;
    signal(number, SIG_DFL);
    if (call != NULL)
        call(call_context);
}

void interrupt_catch(void)
{
    signal(SIGINT, note);
    signal(SIGTERM, note);
}

void interrupt_call(void (*run)(void *context), void *context)
{
    call = NULL;
    call_context = context;
    call = run;
}

bool interrupt_seen(void)
{
    return seen != 0;
}
