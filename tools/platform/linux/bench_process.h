/*
 * Starts child processes of the bench on Linux, and makes memory that they share with the bench. A
 * child is bound to a processor, and is killed when the bench ends. Only for this folder. One
 * thread.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/base/error.h"

/*
 * Forks. In the child it returns 0. The child runs on processor `cpu` (-1: any), has the default
 * actions for signals, is killed when the bench ends, and must end by _exit. In the bench it
 * returns the child's ID, or -1 with `error` filled.
 */
pid_t process_fork(int cpu, struct error *error);

/* Binds this process to a processor. -1 does nothing. */
void process_keep_to(int cpu);

/*
 * Waits at most `patience_ns` for the end of a child. 0 only checks, and a negative value sets no
 * limit. Returns true if the child has ended, and sets *status as waitpid(2) does.
 */
bool process_wait(pid_t pid, int64_t patience_ns, int *status);

/* Kills a child and waits for its end. */
void process_kill(pid_t pid);

/*
 * Returns the processor time of all threads of a child or of this process, in nanoseconds. 0 means
 * unknown.
 */
int64_t process_cpu_ns(pid_t pid);

/* Returns the peak memory (RSS) of a process in bytes. 0 means unknown. */
size_t process_peak_memory(pid_t pid);

/* Returns zeroed memory that child processes share, or NULL if out of memory. */
void *process_share(size_t size);
void process_unshare(void *memory, size_t size);

void process_sleep(int64_t nanoseconds);

#endif
