/*
 * The system calls that the program needs, with the reason for each, and names for the refused
 * ones. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_CALLS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* The plans (struct sandbox_plan) to which a row applies. */
enum sandbox_when {
    SANDBOX_ALWAYS,
    SANDBOX_CONNECTS, /* if the plan's `connects` is set */
    SANDBOX_PROGRAMS, /* if the plan's `runs_programs` is set */
    SANDBOX_RAW,      /* if the plan's `raw_sockets` is set */
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
 * Calls that start a process. Unless the table permits them, they are refused without SIGSYS
 * (sandbox_filter.c).
 */
extern const struct sandbox_call sandbox_new_processes[];
extern const size_t sandbox_new_process_count;

/* Returns the name of a call that may be refused, or NULL if this program has no name for it. */
const char *sandbox_call_name(unsigned number);

#endif
