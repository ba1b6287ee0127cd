/*
 * Removing a file that somebody has open, so that everybody sees it at once: nothing but those who
 * have it open is left of it.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_REMOVAL_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_REMOVAL_H

/* A file of the scratch directory. Fails the running cmocka test where it cannot be done. */
void remove_open_file(const char *name);

#endif
