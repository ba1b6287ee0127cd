/*
 * Runs the collector as a receiver of the bench: starts the program with a command line. Its log is
 * a file in memory, from which the bench reads the port and the ledger.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "tools/bench/ledger_line.h"
#include "tools/platform/linux/bench_process.h"
#include "tools/platform/linux/bench_receiver.h"

#define PATH_SIZE      4096
#define URL_SIZE       2048
#define ARGUMENTS_MOST (CONTENDER_ARGUMENTS_MOST + 8)
#define SECOND         INT64_C(1000000000)
#define PATIENCE_NS    (20 * SECOND) /* time limit of a start, a count or a stop */

struct collector {
    struct bench_receiver receiver; /* first, because callers have a pointer to it */
    int log;                        /* file in memory: the collector's standard error */
};

/* --- the command line ------------------------------------------------------------------------- */

struct command_line {
    char program[PATH_SIZE];
    char listener[URL_SIZE];
    char sink[URL_SIZE];
    const char *arguments[ARGUMENTS_MOST + 1];
    size_t count;
};

/*
 * Finds the requested program, or sluice in the folder of this program. A program that does not
 * exist makes the start fail later.
 */
static void find_program(struct command_line *line, const char *wanted)
{
    ssize_t length = wanted != NULL ? -1 : readlink("/proc/self/exe", line->program, PATH_SIZE - 1);
    if (length < 0) {
        snprintf(line->program, PATH_SIZE, "%s", wanted != NULL ? wanted : "sluice");
        return;
    }
    line->program[length] = '\0';
    char *slash = strrchr(line->program, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - line->program);
    snprintf(line->program + folder, PATH_SIZE - folder, "sluice");
}

static void set_sink(char *url, const struct receiver_plan *plan)
{
    const struct contender *who = plan->who;
    const char *mark = who->sink_keys[0] != '\0' ? "?" : "";
    if (who->to != NULL)
        snprintf(url, URL_SIZE, "%s%s%s", who->to, mark, who->sink_keys);
    else if (who->discards)
        snprintf(url, URL_SIZE, "file:/dev/null%s%s", mark, who->sink_keys);
    else
        snprintf(url, URL_SIZE, "file:%s/sink.json%s%s", plan->folder, mark, who->sink_keys);
}

/*
 * Makes the listener's URL. Adds receive_buffer only if it is not in the keys, because a key must
 * not be given twice.
 */
static void set_listener(char *url, const struct receiver_plan *plan)
{
    const char *keys = plan->who->listener_keys;
    int used = snprintf(url, URL_SIZE, "udp://127.0.0.1:0?schema=telemetry%s%s",
                        keys[0] != '\0' ? "&" : "", keys);
    if (strstr(keys, "receive_buffer=") == NULL)
        snprintf(url + used, URL_SIZE - (size_t)used, "&receive_buffer=%zuB", plan->receive_buffer);
}

static void make_command_line(struct command_line *line, const struct receiver_plan *plan)
{
    *line = (struct command_line){.count = 0};
    find_program(line, plan->program);
    set_listener(line->listener, plan);
    set_sink(line->sink, plan);
    const char *const words[] = {line->program,  "--ledger", "json",    "--listen",
                                 line->listener, "--sink",   line->sink};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        line->arguments[line->count++] = words[i];
    for (size_t i = 0; plan->who->arguments[i] != NULL; i++)
        line->arguments[line->count++] = plan->who->arguments[i];
    line->arguments[line->count] = NULL;
}

static void become(const struct command_line *line, int log)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    char *arguments[ARGUMENTS_MOST + 1];
    /* The parameter of execv is not const, but execv does not write to the words. */
    memcpy(arguments, line->arguments, sizeof arguments);
    if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execv(arguments[0], arguments);
    dprintf(log, "cannot start %s: %s\n", line->program, strerror(errno));
    _exit(127);
}

/* --- the log ---------------------------------------------------------------------------------- */

/* Returns the log from offset `from`, or NULL on failure. The caller frees the text. */
static char *read_log(const struct collector *collector, off_t from)
{
    struct stat status;
    if (fstat(collector->log, &status) != 0 || status.st_size < from)
        return NULL;
    size_t size = (size_t)(status.st_size - from);
    char *text = malloc(size + 1);
    if (text == NULL)
        return NULL;
    ssize_t got = pread(collector->log, text, size, from);
    text[got < 0 ? 0 : got] = '\0';
    return text;
}

static off_t log_size(const struct collector *collector)
{
    struct stat status;
    return fstat(collector->log, &status) == 0 ? status.st_size : 0;
}

/* Fills `error` with `what` and the last line of the log, which has the reason. Returns -1. */
static int report_failure(const struct collector *collector, const char *what, struct error *error)
{
    char *text = read_log(collector, 0);
    size_t length = text == NULL ? 0 : strlen(text);
    while (length != 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *newline = length == 0 ? NULL : strrchr(text, '\n');
    const char *line = newline != NULL ? newline + 1 : length == 0 ? "nothing" : text;
    error_set(error, EXIT_CODE_INTERNAL, "the collector %s; its last line: %s", what, line);
    free(text);
    return -1;
}

static bool is_gone(struct collector *collector)
{
    int status;
    if (!process_wait(collector->receiver.pid, 0, &status))
        return false;
    collector->receiver.pid = 0;
    return true;
}

static bool read_port(struct collector *collector)
{
    static const char listening[] = "listening on udp://127.0.0.1:";
    char *text = read_log(collector, 0);
    const char *at = text == NULL ? NULL : strstr(text, listening);
    bool whole = at != NULL && strchr(at, '\n') != NULL;
    if (whole)
        collector->receiver.port = (uint16_t)strtoul(at + sizeof listening - 1, NULL, 10);
    free(text);
    return whole;
}

static int wait_for_port(struct collector *collector, struct error *error)
{
    int64_t end = clock_monotonic_ns() + PATIENCE_NS;
    while (!read_port(collector)) {
        if (is_gone(collector))
            return report_failure(collector, "did not start", error);
        if (clock_monotonic_ns() > end)
            return report_failure(collector, "opened no port in time", error);
        process_sleep(SECOND / 1000);
    }
    return 0;
}

static bool read_ledger(const struct collector *collector, off_t from, struct ledger_sums *sums)
{
    char *text = read_log(collector, from);
    bool found = false;
    for (char *line = text; line != NULL && !found;) {
        char *newline = strchr(line, '\n');
        if (newline == NULL)
            break;
        found = ledger_line_read(line, sums);
        line = newline + 1;
    }
    free(text);
    return found;
}

static struct receiver_counts counts_of(const struct ledger_sums *sums)
{
    return (struct receiver_counts){
        .received = sums->received,
        .kernel_drops = sums->kernel_drops,
        .unwritten = sums->offered - sums->written,
    };
}

/* --- receiver_ops ----------------------------------------------------------------------------- */

static int count(struct bench_receiver *receiver, struct receiver_counts *counts,
                 struct error *error)
{
    struct collector *collector = (struct collector *)receiver;
    struct ledger_sums sums;
    off_t from = log_size(collector);
    int64_t end = clock_monotonic_ns() + PATIENCE_NS;
    kill(receiver->pid, SIGUSR1);
    while (!read_ledger(collector, from, &sums)) {
        if (is_gone(collector))
            return report_failure(collector, "ended by itself", error);
        if (clock_monotonic_ns() > end)
            return report_failure(collector, "printed no ledger in time", error);
        process_sleep(SECOND / 1000);
    }
    *counts = counts_of(&sums);
    return 0;
}

static void abandon(struct bench_receiver *receiver)
{
    struct collector *collector = (struct collector *)receiver;
    if (receiver->pid > 0)
        process_kill(receiver->pid);
    close(collector->log);
    free(collector);
}

static int end(struct collector *collector, struct receiver_counts *counts, struct error *error)
{
    struct bench_receiver *receiver = &collector->receiver;
    struct ledger_sums sums;
    int status = 0;
    off_t from = log_size(collector);
    kill(receiver->pid, SIGTERM);
    if (!process_wait(receiver->pid, PATIENCE_NS, &status))
        return report_failure(collector, "did not stop in time", error);
    receiver->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return report_failure(collector, "did not end well", error);
    if (!read_ledger(collector, from, &sums))
        return report_failure(collector, "left no ledger", error);
    if (!sums.final || !sums.balances)
        return report_failure(collector, "has a ledger that does not balance", error);
    *counts = counts_of(&sums);
    return 0;
}

static int stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                struct error *error)
{
    int result = end((struct collector *)receiver, counts, error);
    abandon(receiver);
    return result;
}

static const struct receiver_ops ops = {.count = count, .stop = stop, .abandon = abandon};

/* --- starting --------------------------------------------------------------------------------- */

static int start(struct collector *collector, const struct receiver_plan *plan, struct error *error)
{
    struct command_line *line = malloc(sizeof *line);
    if (line == NULL || collector->log < 0) {
        free(line);
        return error_no_memory(error);
    }
    make_command_line(line, plan);
    pid_t pid = process_fork(plan->cpu, error);
    if (pid == 0)
        become(line, collector->log);
    free(line);
    if (pid < 0)
        return -1;
    collector->receiver.pid = pid;
    return wait_for_port(collector, error);
}

int collector_start(struct bench_receiver **out, const struct receiver_plan *plan,
                    struct error *error)
{
    struct collector *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->receiver.ops = &ops;
    made->log = memfd_create("sluice-bench", MFD_CLOEXEC);
    if (start(made, plan, error) != 0) {
        abandon(&made->receiver);
        return -1;
    }
    *out = &made->receiver;
    return 0;
}
