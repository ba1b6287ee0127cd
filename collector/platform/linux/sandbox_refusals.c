#include "collector/platform/linux/sandbox_refusals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

#include "collector/platform/linux/sandbox_calls.h"
#include "collector/platform/sandbox.h"

/* More than the highest number of a call. A higher number would share the last entry. */
#define NUMBERS 512

static atomic_bool refused_calls[NUMBERS];
static void (*notify)(void *context);
static void *notify_context;

static void set_result(void *context)
{
    ucontext_t *interrupted = context;
#if defined(__x86_64__)
    interrupted->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    interrupted->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
    (void)interrupted;
#endif
}

static void on_refused(int signal, siginfo_t *info, void *context)
{
    int kept = errno;
    unsigned number = (unsigned)info->si_syscall;
    (void)signal;
    atomic_store(&refused_calls[number < NUMBERS ? number : NUMBERS - 1], true);
    set_result(context);
    notify(notify_context);
    errno = kept;
}

int sandbox_refusals_begin(void (*refused)(void *context), void *context)
{
    struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_NODEFER};
    notify = refused;
    notify_context = context;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}

bool sandbox_take_refusal(struct sandbox_refusal *refusal)
{
    for (unsigned number = 0; number < NUMBERS; number++) {
        if (!atomic_exchange(&refused_calls[number], false))
            continue;
        const char *name = sandbox_call_name(number);
        *refusal = (struct sandbox_refusal){name != NULL ? name : "?", number};
        return true;
    }
    return false;
}
