/* Discards the program's log while the target runs. */
#ifndef SLUICE_TESTS_FUZZ_QUIET_H
#define SLUICE_TESTS_FUZZ_QUIET_H

void quiet(void);

#endif
