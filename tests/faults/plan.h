/*
 * The planned faults of a program linked to the shim, and their results: a file named by the
 * environment variable FAULT_PLAN, which both sides map. fault_plan.py has the same layout. A
 * program without a plan runs normally.
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

/* A call of one function from one place in the program, which is an offset of its code. */
struct plan_seen {
    _Atomic uint64_t key; /* the row of calls.h, from 1, in the upper 16 bits; the place below */
    _Atomic uint64_t count;
};

/* The first call from a place with a new stack. */
struct plan_stack {
    _Atomic uint64_t hash;   /* of the key and the stack; 0: free */
    _Atomic uint64_t key;    /* as above */
    _Atomic uint64_t number; /* of the call among those of its place, from 1 */
};

struct plan {
    uint8_t wanted[PLAN_CALLS_MAX]; /* for each row of calls.h: whether its calls are counted */
    uint64_t place;                 /* only those from here; 0: from anywhere */
    uint64_t first;                 /* number of the first call that fails, counted from 1; 0: no
                                       call fails */
    uint64_t times;                 /* how many in a row fail; 0: all from there */
    uint32_t error;                 /* errno; 0: the call does less than it is asked for */
    uint32_t less;                  /* 0: see error; 1: does one byte (or message), 2: all but
                                       one */
    uint64_t spares_streams;        /* 1: of the writes, only those to files are counted */
    _Atomic uint64_t counted;
    _Atomic uint64_t failed;
    _Atomic uint64_t longest; /* the most failures of a thread without a success or a wait in
                                 between */
    _Atomic uint64_t frames[PLAN_FRAMES]; /* callers of the first call that failed */
    _Atomic uint64_t watching;            /* 1: calls are recorded in seen and stacks */
    _Atomic uint64_t left_count;          /* descriptors that were open at the end; 0: not known */
    char left[PLAN_LEFT_SIZE];            /* a line for each of these descriptors */
    struct plan_seen seen[PLAN_SEEN];
    struct plan_stack stacks[PLAN_STACKS];
};

/* The rows of calls.h. */
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
    int error;     /* errno; 0: the call does not fail */
    unsigned less; /* 0: all of it; otherwise as in the plan */
};

/*
 * Counts a call, at the place in the program that it returns to, and returns its result. Any thread
 * may call.
 */
struct fate plan_fate(enum call call, const void *from);

/* Whether the planned failure is that a signal interrupts the call. */
bool plan_interrupts(void);

/* Whether only writes to files are counted, not those to pipes, sockets and the like. */
bool plan_spares_streams(void);

/* How many of `size` bytes or messages the call is to do. */
static inline uint64_t plan_less(struct fate fate, uint64_t size)
{
    if (fate.less == 0 || size < 2)
        return size;
    return fate.less == 1 ? 1 : size - 1;
}

#endif
