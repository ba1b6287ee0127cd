/*
 * Tests that are skipped under qemu, from tests/left_out_qemu.txt, which explains its format. With
 * another build the table is not read.
 */
#ifndef SLUICE_TESTS_SUPPORT_LEFT_OUT_H
#define SLUICE_TESTS_SUPPORT_LEFT_OUT_H

#include <stdbool.h>

/*
 * Whether the test `test` of the program `name` is left out. Then prints it and the reason, in the
 * words that tests/report.py collects. Ends the program if the table cannot be read.
 */
bool left_out(const char *name, const char *test);

#endif
