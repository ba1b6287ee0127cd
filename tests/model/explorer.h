/*
 * Explores all that a few threads can do to each other, within C11's memory model: every order of
 * their steps, and for every atomic load every store that it may see.
 *
 * What is explored is the program's own code. Its files are compiled once more, with
 * -fsanitize=thread, so that the compiler calls a function before each access to memory and in the
 * place of each atomic operation; these functions are the explorer's (memory.c) and not the thread
 * sanitizer's. The contracts of platform/ that threads meet in are the explorer's as well
 * (world.c). Threads are coroutines in one thread of the system.
 *
 * A run is a set-up, the threads, and a check. It is repeated from the beginning for each choice
 * that was not made yet. A state is what each thread has done and seen and the order of each
 * object's stores; one that was reached before is not explored again. Within the bounds of its
 * threads' calls a model is explored to its end.
 *
 * What is found: a condition of the model that does not hold, a data race on memory that is not
 * atomic (use after release is one), use of what NULL points to, a thread that waits for ever (a
 * lost wake-up is one), and threads that never come to an end.
 *
 * What it leaves out of C11: a load that sees a store which its thread makes only later (load
 * buffering), stores to one object whose order is not the one in which they were made, and
 * consume. Waits with a time limit end without their reason only where nothing else can happen.
 */
#ifndef SLUICE_TESTS_MODEL_EXPLORER_H
#define SLUICE_TESTS_MODEL_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_THREADS 4

struct model {
    const char *name;
    void (*set_up)(void); /* makes what the threads share, anew for each run */
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
