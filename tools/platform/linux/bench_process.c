#include "tools/platform/linux/bench_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/clock.h"

#define MILLISECOND INT64_C(1000000)

pid_t process_fork(int cpu, struct error *error)
{
    pid_t bench = getpid();
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot start a process: %s", strerror(errno));
        return -1;
    }
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != bench)
        _exit(0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    process_keep_to(cpu);
    return 0;
}

void process_keep_to(int cpu)
{
    if (cpu < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

bool process_wait(pid_t pid, int64_t patience_ns, int *status)
{
    int64_t end = clock_monotonic_ns() + patience_ns;
    for (;;) {
        pid_t ended = waitpid(pid, status, patience_ns < 0 ? 0 : WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (patience_ns < 0)
            continue;
        if (clock_monotonic_ns() >= end)
            return false;
        process_sleep(MILLISECOND);
    }
}

void process_kill(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    process_wait(pid, -1, &status);
}

int64_t process_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

size_t process_peak_memory(pid_t pid)
{
    static const char name[] = "VmHWM:";
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size < 0)
        return 0;
    text[size] = '\0';
    const char *at = strstr(text, name);
    return at == NULL ? 0 : (size_t)strtoull(at + strlen(name), NULL, 10) * 1024;
}

void *process_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void process_unshare(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}

void process_sleep(int64_t nanoseconds)
{
    struct timespec pause = {.tv_sec = nanoseconds / 1000000000,
                             .tv_nsec = nanoseconds % 1000000000};
    nanosleep(&pause, NULL);
}
