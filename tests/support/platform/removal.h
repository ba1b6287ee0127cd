#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_REMOVAL_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_REMOVAL_H

/*
 * Removes a file of the scratch directory that a process has open, and frees its name at once. An
 * error fails the running cmocka test.
 */
void remove_open_file(const char *name);

#endif
