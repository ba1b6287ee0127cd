/*
 * Implements tools/command/interrupt.h on Windows with console events, which the system handles in
 * a thread of its own.
 */
#include "tools/command/interrupt.h"

#include <stdatomic.h>
#include <stddef.h>
#include <windows.h>

static atomic_bool seen;

/*
 * The handler holds this while it runs `call`. So `call` does not run after interrupt_call has
 * returned.
 */
static SRWLOCK lock = SRWLOCK_INIT;
static void (*call)(void *context);
static void *call_context;

/*
 * Handles a console event. If it returns FALSE, the system's handler gets the event and ends the
 * program.
 */
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
