/*
 * Explores all that a few threads can do to each other within C11's memory model: every order of
 * their steps, and for every atomic load every store that it may see.
 *
 * It explores the program's own code. The files are compiled a second time with -fsanitize=thread,
 * so that the compiler calls a function before each access to memory and instead of each atomic
 * operation; these functions are the explorer's (memory.c) and not the thread sanitizer's. The
 * explorer also implements the contracts of platform/ by which threads wait for each other
 * (world.c). Threads are coroutines in one thread of the system.
 *
 * A run is a set-up, the threads, and a check. It is repeated from the beginning for each choice
 * that was not made yet. A state is what each thread has done and seen, and the order of each
 * object's stores; a state that was reached before is not explored again. Within the bounds of its
 * threads' calls a model is explored completely.
 *
 * It finds: a condition of the model that does not hold; a data race on memory that is not atomic
 * (use after release is one); use of NULL; a thread that waits for ever (a lost wake-up is one);
 * and threads that do not end.
 *
 * It leaves out these parts of C11: a load that sees a store which its thread makes later (load
 * buffering), stores to one object in another order than they were made, and consume. Waits with a
 * time limit time out only when no other thread can continue.
 */
#ifndef SLUICE_TESTS_MODEL_EXPLORER_H
#define SLUICE_TESTS_MODEL_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_THREADS 4

struct model {
    const char *name;
    void (*set_up)(void); /* creates what the threads share, for each run */
    void (*threads[MODEL_THREADS])(void);
    void (*check)(void); /* after all threads have ended; NULL: no check */
};

/* Called in a thread or in the check. If the condition does not hold, the run has found a fault. */
void model_expect(bool holds, const char *text);

struct exploration {
    size_t states;
    size_t runs;
    const char *fault; /* NULL: no fault; otherwise the exploration ended there */
};

/* Explores all runs, or up to the first fault. Aborts if there are more than `most` states. */
struct exploration model_explore(const struct model *model, size_t most);

/* --- orders that are weakened ----------------------------------------------------------------- */

/* An atomic operation in the program's code with an order that is stronger than relaxed. */
struct model_site {
    const void *address;
    const char *operation;
    int order;
};

/*
 * The number of atomic operations (sites) met since the program began; they are numbered in that
 * order.
 */
size_t model_sites(void);
struct model_site model_site(size_t index);

/* From now on this site's order is relaxed. With model_sites() as the number, no site's is. */
void model_weaken(size_t index);

#endif
