/*
 * Explores all possible interactions of a few threads within C11's memory model: every order of
 * their steps, and for every atomic load every store that it may see.
 *
 * It explores the program's own code. Its files are compiled a second time, with -fsanitize=thread,
 * so that the compiler calls a function before each memory access and instead of each atomic
 * operation; these functions belong to the explorer (memory.c), not to the thread sanitizer. The
 * explorer also implements the contracts of platform/ by which threads meet (world.c). Threads are
 * coroutines in one thread of the system.
 *
 * A run is a set-up, the threads, and a check. It is repeated from the beginning for each choice
 * that was not made yet. A state consists of the actions and observations of each thread and the
 * order of each object's stores; a state that was reached before is not explored again. Within the
 * bounds of its threads' calls a model is explored completely.
 *
 * It finds: a violated condition of the model, a data race on non-atomic memory (including use
 * after release), use of NULL, a thread that waits forever (including a lost wake-up), and threads
 * that never end.
 *
 * It does not cover all of C11: not a load that sees a later store of its thread (load buffering),
 * not stores to one object in another order than that in which they were made, and not consume.
 * Waits with a time limit end without their reason only if no other step is possible.
 */
#ifndef SLUICE_TESTS_MODEL_EXPLORER_H
#define SLUICE_TESTS_MODEL_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_THREADS 4

struct model {
    const char *name;
    void (*set_up)(void); /* makes the shared objects, again for each run */
    void (*threads[MODEL_THREADS])(void);
    void (*check)(void); /* after all have ended; NULL: there is nothing to check */
};

/* In a thread, or in the check: where it does not hold the run has found a fault. */
void model_expect(bool holds, const char *text);

struct exploration {
    size_t states;
    size_t runs;
    const char *fault; /* NULL: none; else it ended there */
};

/* Explores it all, or up to the first fault. Aborts where there are more than `most` states. */
struct exploration model_explore(const struct model *model, size_t most);

/* --- orders that are weakened ----------------------------------------------------------------- */

/* An atomic operation in the program's code, whose order is stronger than relaxed. */
struct model_site {
    const void *address;
    const char *operation;
    int order;
};

/* Those that were met since the program began, in the order in which they were. */
size_t model_sites(void);
struct model_site model_site(size_t index);

/* The site's order is relaxed from now on; model_sites() for none. */
void model_weaken(size_t index);

#endif
