/*
 * Loads files as schemas, as a user names them. A difference fails the running test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H
#define SLUICE_TESTS_SUPPORT_PROTO_DESCRIPTOR_LOADING_H

/* Expects that the file is loaded and has this message. */
void assert_loads(const char *path, const char *full_name);

/* Expects that the file is refused with one line, which names its path and contains this text. */
void assert_refused(const char *path, const char *expected);

#endif
