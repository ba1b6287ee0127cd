/*
 * Replaces the system's random numbers (link with --wrap=random_bytes) by the same series for each
 * input, so that a single input reproduces a fault.
 */
#ifndef SLUICE_TESTS_FUZZ_SAME_RANDOM_H
#define SLUICE_TESTS_FUZZ_SAME_RANDOM_H

/* Restarts the series. Its numbers differ from each other. */
void same_random_begin(void);

#endif
