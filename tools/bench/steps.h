/*
 * How far the bench has come, for whoever watches at a terminal (collector/base/progress.h). Each
 * part counts as much as any other; within a part its steps do. What is left is a guess. One
 * thread.
 */
#ifndef SLUICE_TOOLS_BENCH_STEPS_H
#define SLUICE_TOOLS_BENCH_STEPS_H

#include <stddef.h>
#include <stdint.h>

/* Part `index` of `parts` begins. The name lives until the next one begins, or steps_end. */
void steps_begin_part(const char *name, size_t index, size_t parts);

/* The part has about so many steps; without it nobody knows. */
void steps_expect(uint64_t steps);

/* A step of it begins: a run, or a measurement. */
void steps_next(void);

void steps_end(void);

#endif
