/* Implements tools/bench/machine.h on Linux with sched(7), uname(2) and /proc. */
#include "tools/bench/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/platform/linux/bench_process.h"

#define SLEEPS 100

/*
 * Copies the processor's model from a line such as "model name : AMD EPYC". Leaves `text` unchanged
 * if there is no such line.
 */
static void find_model(char *text, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file != NULL)
        fclose(file);
}

static void find_processors(struct machine *machine)
{
    cpu_set_t set;
    machine->sender_cpu = -1;
    machine->receiver_cpu = -1;
    machine->processors = 1;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    machine->processors = (unsigned)CPU_COUNT(&set);
    if (machine->processors < 2)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && machine->receiver_cpu < 0; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        if (machine->sender_cpu < 0)
            machine->sender_cpu = cpu;
        else
            machine->receiver_cpu = cpu;
    }
}

static double measure_sleep(void)
{
    int64_t before = process_cpu_ns(getpid());
    for (int i = 0; i < SLEEPS; i++)
        process_sleep(MACHINE_SLEEP_NS);
    return (double)(process_cpu_ns(getpid()) - before) / SLEEPS;
}

void machine_look(struct machine *machine)
{
    struct utsname name;
    memset(&name, 0, sizeof name);
    uname(&name);
    snprintf(machine->system, sizeof machine->system, "%.60s %.120s", name.sysname, name.release);
    snprintf(machine->cpu, sizeof machine->cpu, "%.60s", name.machine);
    find_model(machine->cpu, sizeof machine->cpu);
    find_processors(machine);
    process_keep_to(machine->sender_cpu);
    machine->sleep_cost_ns = measure_sleep();
}
