/*
 * Loads descriptor files as schemas, by path. An unexpected result fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H
#define SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H

/* Expects that the file is loaded and has a message of this name. */
void assert_loads(const char *path, const char *full_name);

/* Expects that the file is refused. The error is one line that contains its path and this text. */
void assert_refused(const char *path, const char *expected);

#endif
