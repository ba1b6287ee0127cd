/*
 * Skips the tests in tests/left_out_qemu.txt if the build is for a machine that qemu emulates. The
 * file explains its own format. Other builds do not read it.
 */
#ifndef SLUICE_TESTS_SUPPORT_LEFT_OUT_H
#define SLUICE_TESTS_SUPPORT_LEFT_OUT_H

#include <stdbool.h>

/*
 * Returns true if the test `test` of the program `name` must be skipped. It then also prints the
 * test and the reason, in the form that tests/report.py reads. Ends the program if the table cannot
 * be read.
 */
bool left_out(const char *name, const char *test);

#endif
