/*
 * The system calls that the program needs, with the reason for each, and the names of calls that an
 * intruder would make. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_CALLS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* When a row applies. */
enum sandbox_when {
    SANDBOX_ALWAYS,
    SANDBOX_CONNECTS, /* struct sandbox_plan: connects */
    SANDBOX_PROGRAMS, /* struct sandbox_plan: runs_programs */
    SANDBOX_RAW,      /* struct sandbox_plan: raw_sockets */
};

/* A condition of an argument's low 32 bits: (argument & mask) == value. mask 0: no condition. */
struct sandbox_condition {
    unsigned argument;
    uint32_t mask, value;
};

/* A call is permitted if one of its rows applies and both conditions of that row hold. */
struct sandbox_call {
    unsigned number;
    const char *reason;
    enum sandbox_when when;
    struct sandbox_condition conditions[2];
};

/* In the order in which the filter compares them: frequent calls first. */
extern const struct sandbox_call sandbox_calls[];
extern const size_t sandbox_call_count;

/*
 * Calls that start a process: refused without SIGSYS unless the table permits them
 * (sandbox_filter.c).
 */
extern const struct sandbox_call sandbox_new_processes[];
extern const size_t sandbox_new_process_count;

/* Returns the name of a call that no configuration needs, or NULL. */
const char *sandbox_call_name(unsigned number);

#endif
