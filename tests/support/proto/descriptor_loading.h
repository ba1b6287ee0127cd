/*
 * Loads files as schemas, as a user names them. A difference fails the running test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H
#define SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H

/* The file is loaded and has this message. */
void assert_loads(const char *path, const char *full_name);

/* The file is refused with one line that names its path and says this. */
void assert_refused(const char *path, const char *expected);

#endif
