/* Implements struct control with signalfd(2) and eventfd(2). */
#include "collector/platform/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/event.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/spawn.h"

struct control {
    int signals;
    int notice;
    int terminal; /* a standard stream that is our controlling terminal; -1: none is, or SIGHUP was
                     ignored at the start */
};

static int find_terminal(void)
{
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler == SIG_IGN)
        return -1;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (tcgetsid(stream) == getsid(0))
            return stream;
    return -1;
}

/*
 * Returns true if a SIGHUP is a hang-up. When a terminal disappears, the kernel first removes it
 * from all processes of its session. Then it sends SIGHUP to the session's leader and, after the
 * leader's end, to the processes in the foreground; shells pass the signal on. Any later SIGHUP,
 * such as that of logrotate, comes from another session.
 */
static bool is_hangup(const struct control *control, const struct signalfd_siginfo *info)
{
    pid_t sender = (pid_t)info->ssi_pid;
    return control->terminal >= 0 && tcgetsid(control->terminal) < 0 &&
           (info->ssi_code == SI_KERNEL || sender == getsid(0) || getsid(sender) == getsid(0));
}

int control_create(struct control **out, struct error *error)
{
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for signals");
        return -1;
    }
    control->terminal = find_terminal();
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGHUP);
    sigaddset(&wanted, SIGUSR1);
    if (getpid() == 1)
        sigaddset(&wanted, SIGCHLD);
    control->signals = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
    control->notice = event_open();
    /* A signal that is not blocked would end the program without a ledger. */
    if (control->signals < 0 || control->notice < 0 || sigprocmask(SIG_BLOCK, &wanted, NULL) != 0 ||
        signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot wait for signals: %s", strerror(errno));
        control_destroy(control);
        return -1;
    }
    *out = control;
    return 0;
}

void control_destroy(struct control *control)
{
    if (control == NULL)
        return;
    if (control->signals >= 0)
        close(control->signals);
    if (control->notice >= 0)
        close(control->notice);
    free(control);
}

const char *control_warning(const struct control *control)
{
    (void)control;
    return NULL;
}

unsigned long control_process_id(void)
{
    return (unsigned long)getpid();
}

void control_notify(struct control *control)
{
    event_signal(control->notice);
}

static enum control_event meaning(const struct control *control,
                                  const struct signalfd_siginfo *info)
{
    switch (info->ssi_signo) {
    case SIGHUP:
        return is_hangup(control, info) ? CONTROL_HANGUP : CONTROL_REOPEN;
    case SIGUSR1:
        return CONTROL_LEDGER;
    case SIGCHLD:
        spawn_reap_orphans();
        return CONTROL_TIMEOUT;
    default:
        return CONTROL_STOP;
    }
}

enum control_event control_wait(struct control *control, const struct control_watch *watched,
                                size_t count, int timeout_ms)
{
    RULE(count <= CONTROL_WATCHED_MAX, "no more handles are watched than there is room for");
    struct pollfd polled[2 + CONTROL_WATCHED_MAX] = {
        {.fd = control->signals, .events = POLLIN},
        {.fd = control->notice, .events = POLLIN},
    };
    for (size_t i = 0; i < count; i++) {
        polled[2 + i].fd = (int)watched[i].handle;
        polled[2 + i].events =
            (short)((watched[i].want_read ? POLLIN : 0) | (watched[i].want_write ? POLLOUT : 0));
    }
    int ready = poll(polled, 2 + count, timeout_ms);
    RULE(((polled[0].revents | polled[1].revents) & POLLNVAL) == 0,
         "the main thread's events are waited for while they are open");
    if (ready == 0)
        return CONTROL_TIMEOUT;
    bool failed = ready < 0 && errno != EINTR;
    if (ready < 0)
        retry_pause(); /* does not return yet: a pending signal is still read below */
    struct signalfd_siginfo info;
    if (read(control->signals, &info, sizeof info) == (ssize_t)sizeof info)
        return meaning(control, &info);
    if (ready < 0)
        return failed ? CONTROL_FAILED : CONTROL_TIMEOUT;
    if ((polled[1].revents & POLLIN) == 0)
        return CONTROL_READY;
    event_clear(control->notice);
    return CONTROL_NOTICE;
}
