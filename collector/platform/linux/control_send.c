/*
 * Implements control_send() with signals, to a process that /proc shows to be a collector.
 *
 * SIGHUP and SIGUSR1 end a process that does not handle them: a collector that does not wait yet,
 * or `sluice ctl` itself. A process that handles them has blocked them (control_signalfd.c), so
 * control_send() checks that.
 */
#include "collector/platform/control.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct process_status {
    char name[32];
    char state;
    unsigned long long blocked;
};

static bool read_status(const char *process, struct process_status *status)
{
    char path[64];
    char line[256];
    *status = (struct process_status){.state = '?'};
    snprintf(path, sizeof path, "/proc/%s/status", process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "Name: %31[^\n]", status->name);
        sscanf(line, "State: %c", &status->state);
        sscanf(line, "SigBlk: %llx", &status->blocked);
    }
    fclose(file);
    return true;
}

static bool blocks(const struct process_status *status, int number)
{
    return (status->blocked >> (number - 1) & 1) != 0;
}

/*
 * Returns true if the process runs the same file as this process. The file may have been replaced
 * since the process was started, so the same name is enough, too.
 */
static bool is_same_program(const char *process, const struct process_status *status)
{
    char path[64];
    struct stat theirs;
    struct stat ours;
    struct process_status own;
    snprintf(path, sizeof path, "/proc/%s/exe", process);
    if (stat(path, &theirs) == 0 && stat("/proc/self/exe", &ours) == 0 &&
        theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino)
        return true;
    return read_status("self", &own) && strcmp(status->name, own.name) == 0;
}

static int signal_of(enum control_event event)
{
    switch (event) {
    case CONTROL_REOPEN:
        return SIGHUP;
    case CONTROL_LEDGER:
        return SIGUSR1;
    default:
        return SIGTERM;
    }
}

static int not_reached(struct error *error, unsigned long process, const char *why)
{
    error_set(error, EXIT_CODE_NOT_REACHED, "cannot signal process %lu: %s", process, why);
    return -1;
}

int control_send(unsigned long process, enum control_event event, struct error *error)
{
    char text[32];
    struct process_status status;
    snprintf(text, sizeof text, "%lu", process);
    if (!read_status("self", &status))
        return not_reached(error, process, "there is no /proc to say what it is");
    if (process > INT_MAX || !read_status(text, &status) || status.state == 'Z' ||
        !is_same_program(text, &status) || !blocks(&status, SIGHUP) || !blocks(&status, SIGUSR1)) {
        error_set(error, EXIT_CODE_NOT_REACHED, "process %lu is not a running sluice", process);
        return -1;
    }
    if (kill((pid_t)process, signal_of(event)) != 0)
        return not_reached(error, process, strerror(errno));
    return 0;
}
