/* tools/command/interrupt.h by console events, for which the system starts a thread. */
#include "tools/command/interrupt.h"

#include <stdatomic.h>
#include <stddef.h>
#include <windows.h>

static atomic_bool seen;

/* Held during a call of the handler, so that none runs after interrupt_call has returned. */
static SRWLOCK lock = SRWLOCK_INIT;
static void (*call)(void *context);
static void *call_context;

/* FALSE: the next handler gets it, and the system's own one ends the program. */
static BOOL WINAPI note(DWORD event)
{
    if ((event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) || atomic_exchange(&seen, true))
        return FALSE;
    AcquireSRWLockExclusive(&lock);
    if (call != NULL)
        call(call_context);
    ReleaseSRWLockExclusive(&lock);
    return TRUE;
}

void interrupt_catch(void)
{
    SetConsoleCtrlHandler(note, TRUE);
}

void interrupt_call(void (*run)(void *context), void *context)
{
    AcquireSRWLockExclusive(&lock);
    call = run;
    call_context = context;
    ReleaseSRWLockExclusive(&lock);
}

bool interrupt_seen(void)
{
    return atomic_load(&seen);
}
