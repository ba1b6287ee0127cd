/*
 * In the place of the system's random numbers (link with --wrap=random_bytes): the same ones for
 * each input, so that one input alone shows what was found.
 */
#ifndef SLUICE_TESTS_FUZZ_SAME_RANDOM_H
#define SLUICE_TESTS_FUZZ_SAME_RANDOM_H

/* The first one is the next. No two of an input are the same. */
void same_random_begin(void);

#endif
