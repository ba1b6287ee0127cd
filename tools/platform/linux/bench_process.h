/*
 * Processes of the bench on Linux: forked, bound to a processor, and killed when the bench ends;
 * and memory shared with them. Only for this folder. One thread.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/base/error.h"

/*
 * Forks. Returns 0 in the child, which must end by _exit, runs on processor `cpu` (-1: any), has
 * the default actions for signals, and is killed when the bench ends. Otherwise returns its id, or
 * -1 with `error` filled.
 */
pid_t process_fork(int cpu, struct error *error);

/* Binds this process to a processor; -1: any. */
void process_keep_to(int cpu);

/*
 * Waits for a child's end for at most `patience_ns` (0: only checks; negative: for ever). Returns
 * whether it has ended; *status is that of waitpid(2).
 */
bool process_wait(pid_t pid, int64_t patience_ns, int *status);

/* Kills a child and waits for its end. */
void process_kill(pid_t pid);

/* Processor time of all threads of a child, or of this process. */
int64_t process_cpu_ns(pid_t pid);

/* The peak memory (RSS) of a process in bytes; 0 if unknown. */
size_t process_peak_memory(pid_t pid);

/* Zeroed memory shared with child processes; NULL without memory. */
void *process_share(size_t size);
void process_unshare(void *memory, size_t size);

void process_sleep(int64_t nanoseconds);

#endif
