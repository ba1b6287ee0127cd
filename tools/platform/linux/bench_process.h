/*
 * Processes of the bench on Linux: forked, kept to a processor, and gone when the bench is gone;
 * and memory that they share with it. Of this folder only. One thread.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/base/error.h"

/*
 * Forks. In the child, which is to end by _exit: returns 0; it is on processor `cpu` (-1: any), has
 * the default actions for signals, and is killed when the bench ends. Else returns its id, or -1
 * with `error` filled.
 */
pid_t process_fork(int cpu, struct error *error);

/* Keeps this process to a processor; -1: any. */
void process_keep_to(int cpu);

/*
 * Waits for a child's end, at most `patience_ns` (0: looks; negative: for ever). Returns whether it
 * has ended; *status is as waitpid(2) says.
 */
bool process_wait(pid_t pid, int64_t patience_ns, int *status);

/* Kills a child and waits for its end. */
void process_kill(pid_t pid);

/* Processor time of all threads of a child, or of this process. */
int64_t process_cpu_ns(pid_t pid);

/* The most memory (RSS) that a process had, in bytes; 0 where that is not known. */
size_t process_peak_memory(pid_t pid);

/* Zeroed memory that a child has in common with us; NULL where there is none. */
void *process_share(size_t size);
void process_unshare(void *memory, size_t size);

void process_sleep(int64_t nanoseconds);

#endif
