/*
 * Explores all possible interactions of a few threads in C11's memory model: every order of their
 * steps, and for every atomic load every store that it may see.
 *
 * It explores the program's own code, which is compiled again with -fsanitize=thread. So the
 * compiler calls a function before each memory access and in place of each atomic operation. These
 * functions are in memory.c and replace those of the thread sanitizer. world.c implements the
 * functions of platform/ with which threads wait for each other. The threads are coroutines in one
 * thread of the system.
 *
 * A run is a set-up, the threads, and a check. The run is repeated from the beginning for each
 * choice that was not tried yet. A state is what each thread has done and seen, and the order of
 * each object's stores. A state that was reached before is not explored again. So a model is
 * explored completely, within the number of calls that its threads make.
 *
 * It finds: a condition of the model that does not hold; a data race on memory that is not atomic
 * (use after release is one); use of NULL; a thread that waits for ever (as after a lost wake-up);
 * and threads that do not end.
 *
 * It does not cover these parts of C11: a load that sees a later store of its own thread (load
 * buffering), stores to one object that become visible in another order than they were made, and
 * consume. A wait with a time limit times out only when no other thread can continue.
 */
#ifndef SLUICE_TESTS_MODEL_EXPLORER_H
#define SLUICE_TESTS_MODEL_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_THREADS 4

struct model {
    const char *name;
    void (*set_up)(void); /* called at the beginning of each run; creates the shared objects */
    void (*threads[MODEL_THREADS])(void);
    void (*check)(void); /* called after all threads have ended; NULL for no check */
};

/* Reports a fault if the condition does not hold. Called in a thread or in the check. */
void model_expect(bool holds, const char *text);

struct exploration {
    size_t states;
    size_t runs;
    const char *fault; /* the fault that ended the exploration, or NULL */
};

/* Explores all runs, or until the first fault. Aborts if there are more than `most` states. */
struct exploration model_explore(const struct model *model, size_t most);

/* --- weakened memory orders ------------------------------------------------------------------- */

/* An atomic operation in the program's code whose memory order is stronger than relaxed. */
struct model_site {
    const void *address;
    const char *operation;
    int order;
};

/*
 * Returns how many atomic operations of the program (sites) were executed since it began and had an
 * order stronger than relaxed. Sites have numbers in the order in which they were first executed.
 */
size_t model_sites(void);
struct model_site model_site(size_t index);

/*
 * Changes the memory order of this site to relaxed. If `index` is model_sites(), restores all
 * sites.
 */
void model_weaken(size_t index);

#endif
