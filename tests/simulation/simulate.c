/*
 * simulate runs the collector in a simulated world, one run for each seed.
 *
 *   simulate --seed N [--trace]                  one run; --trace prints its events
 *   simulate --first N --runs N                  N runs with consecutive seeds from the first
 *   simulate --first N --minutes N               runs for N minutes
 *   simulate --seeds FILE                        the seeds at the beginnings of the file's lines
 *
 * If a run breaks a promise, it prints the seed and exits with 1.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/simulation/checks.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/scenario.h"
#include "tests/simulation/world.h"

/*
 * The limit of processor time for one life of the program, in seconds. If a life reaches it, the
 * program hangs in code that makes no platform calls.
 */
#define LIFE_SECONDS 60

struct wanted {
    uint64_t first;
    uint64_t runs;
    double minutes;
    bool trace;
    const char *seeds;
};

static int live(struct scenario *scenario, bool last, bool trace)
{
    pid_t child = fork();
    if (child == 0) {
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = LIFE_SECONDS}, NULL);
        scenario_live(scenario, last, trace);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/*
 * Runs the checks in a child process, because a failed check ends its process. Returns the wait
 * status.
 */
static int check(void (*checks)(const struct scenario *scenario), const struct scenario *scenario,
                 bool trace)
{
    pid_t child = fork();
    if (child == 0) {
        world_set_trace(trace);
        checks(scenario);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/*
 * Returns true if the program ended although a thread was still busy after all time limits. The run
 * then treats that as a kill. It happens to sinks that complete hundreds of files per second in a
 * slow world.
 */
static bool left_a_thread(const struct scenario *scenario, int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 74 && history->end == LIFE_GOES_ON &&
           scenario->rotates_often &&
           strstr(history->log, "hangs in a system call; the process ends without it") != NULL;
}

static bool complain(const struct scenario *scenario, int status)
{
    char line[2000];
    scenario_describe(scenario, line, sizeof line);
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    fprintf(stderr, "seed %" PRIu64 ", life %u: %s\n", scenario->seed, history->life, line);
    return false;
}

static struct scenario *scenario;

static void create_scenario(void)
{
    scenario =
        mmap(NULL, sizeof *scenario, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (scenario == MAP_FAILED)
        world_fail("no memory for a scenario");
}

static bool run(uint64_t seed, bool trace)
{
    history_clear();
    disk_clear(SCENARIO_FOLDER);
    scenario_make(scenario, seed);
    for (unsigned i = 1; i <= scenario->lives; i++) {
        history_begin_life();
        int status = live(scenario, i == scenario->lives, trace);
        if (left_a_thread(scenario, status)) {
            history->end = LIFE_KILLED;
            status = check(checks_after_life, scenario, trace);
        }
        if (status == 0 && history->end == LIFE_GOES_ON)
            fputs("the process ended by itself\n", stderr);
        if (status != 0 || history->end == LIFE_GOES_ON)
            return complain(scenario, status);
        if (history->end == LIFE_POWER_CUT) {
            history->had_power_cut = true;
            disk_cut_power();
            status = check(checks_after_power_cut, scenario, trace);
            if (status != 0)
                return complain(scenario, status);
        } else {
            disk_process_ended();
        }
    }
    return true;
}

static bool parse(int argc, char **argv, struct wanted *wanted)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--trace") == 0) {
            wanted->trace = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0) {
            wanted->first = strtoull(value, NULL, 10);
            wanted->runs = 1;
        } else if (strcmp(argv[i], "--first") == 0) {
            wanted->first = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--runs") == 0) {
            wanted->runs = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--seeds") == 0) {
            wanted->seeds = value;
        } else if (strcmp(argv[i], "--minutes") == 0) {
            wanted->minutes = strtod(value, NULL);
        } else {
            return false;
        }
        i++;
    }
    return wanted->runs != 0 || wanted->minutes > 0 || wanted->seeds != NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Runs the seeds of a file. Lines that do not begin with a number are comments. */
static int run_seeds(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    unsigned runs = 0;
    if (file == NULL) {
        perror(path);
        return 64;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *end;
        uint64_t seed = strtoull(line, &end, 10);
        if (end == line)
            continue;
        if (!run(seed, false))
            return 1;
        runs++;
    }
    fclose(file);
    printf("%u runs\n", runs);
    return 0;
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.first = 1};
    if (!parse(argc, argv, &wanted)) {
        fputs("simulate --seed N [--trace] | [--first N] --runs N | [--first N] --minutes N | "
              "--seeds FILE\n",
              stderr);
        return 64;
    }
    double start = now();
    uint64_t done = 0, steps = 0;
    disk_create();
    history_create();
    create_scenario();
    if (wanted.seeds != NULL)
        return run_seeds(wanted.seeds);
    while (wanted.runs != 0 ? done < wanted.runs : now() - start < wanted.minutes * 60) {
        if (!run(wanted.first + done, wanted.trace))
            return 1;
        done++;
        steps += history->steps;
    }
    printf("%" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64 " calls, %.1f s\n", done,
           wanted.first, steps, now() - start);
    return 0;
}
