/*
 * The planned faults of a program that is linked with the shim, and the results. The environment
 * variable FAULT_PLAN names a file that the test and the program both map. fault_plan.py has the
 * same layout. Without this variable the program runs normally.
 */
#ifndef SLUICE_TESTS_FAULTS_PLAN_H
#define SLUICE_TESTS_FAULTS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PLAN_CALLS_MAX = 128,
    PLAN_FRAMES = 16,
    PLAN_SEEN = 4096,
    PLAN_LEFT_SIZE = 1024,
    PLAN_STACKS = 16384,
};

/*
 * Counts the calls of one function from one place in the program, which is an offset in its code.
 */
struct plan_seen {
    _Atomic uint64_t key; /* upper 16 bits: row of calls.h, from 1; lower bits: the place */
    _Atomic uint64_t count;
};

/* The first call from a place with a new stack. */
struct plan_stack {
    _Atomic uint64_t hash;   /* hash of the key and the stack; 0 if unused */
    _Atomic uint64_t key;    /* as in struct plan_seen */
    _Atomic uint64_t number; /* number of the call among those of its place, from 1 */
};

struct plan {
    uint8_t wanted[PLAN_CALLS_MAX]; /* for each row of calls.h: 1 if its calls are counted */
    uint64_t place;                 /* only calls from here are counted; 0 for all calls */
    uint64_t first;                 /* number of the first failing call, from 1; 0 if none fails */
    uint64_t times;                 /* number of consecutive failing calls; 0 for all later ones */
    uint32_t error;                 /* errno, or 0 if the call does only a part */
    uint32_t less;                  /* 0: see error; 1: one byte (or message); 2: all but one */
    uint64_t spares_streams;        /* 1: of the writes, only those to files are counted */
    _Atomic uint64_t counted;
    _Atomic uint64_t failed;
    _Atomic uint64_t longest; /* most failures of a thread without a success or a wait in between */
    _Atomic uint64_t frames[PLAN_FRAMES]; /* callers of the first failing call */
    _Atomic uint64_t watching;            /* 1: calls are recorded in `seen` and `stacks` */
    _Atomic uint64_t left_count;          /* number of descriptors open at the end; 0 if unknown */
    char left[PLAN_LEFT_SIZE];            /* one line for each of these descriptors */
    struct plan_seen seen[PLAN_SEEN];
    struct plan_stack stacks[PLAN_STACKS];
};

/* One number for each row of calls.h. */
enum call {
#define CALL(type, name, parameters, arguments)    CALL_##name,
#define BYTES(name, parameters, arguments, size)   CALL_##name,
#define POINTER(type, name, parameters, arguments) CALL_##name,
#define CODE(name, parameters, arguments)          CALL_##name,
#define BY_HAND(name)                              CALL_##name,
#include "tests/faults/calls.h"
#undef CALL
#undef BYTES
#undef POINTER
#undef CODE
#undef BY_HAND
};

/* The result of one call. */
struct fate {
    int error;
    unsigned less; /* 0: do everything; otherwise as in struct plan */
};

/* Counts a call from the code at `from`, and returns the planned result. Any thread. */
struct fate plan_fate(enum call call, const void *from);

/* Returns true if the planned failure is an interruption by a signal. */
bool plan_interrupts(void);

/* Returns true if only writes to files are counted, not those to pipes and sockets. */
bool plan_spares_streams(void);

/* Returns how many of `size` bytes or messages the call must process. */
static inline uint64_t plan_less(struct fate fate, uint64_t size)
{
    if (fate.less == 0 || size < 2)
        return size;
    return fate.less == 1 ? 1 : size - 1;
}

#endif
