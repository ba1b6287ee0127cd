/* A temporary directory for a test, and the files in it. An error fails the running cmocka test. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_SCRATCH_DIRECTORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_SCRATCH_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* A cmocka setup and teardown. There can be one such directory at a time. */
int scratch_make(void **state);
int scratch_remove(void **state);

/* Returns the path of a name in the directory. The eighth call after this one overwrites it. */
const char *scratch_path(const char *name);

void scratch_make_folder(const char *name);

/*
 * scratch_has returns true if the name exists. scratch_count returns the number of entries of a
 * folder; "" is the scratch directory itself.
 */
bool scratch_has(const char *name);
size_t scratch_count(const char *name);

void scratch_put(const char *name, const char *bytes, size_t size);
void scratch_assert_holds(const char *name, const char *bytes, size_t size);

/* Removes the access of other users to the file, on systems whose files have modes. */
void scratch_make_private(const char *name);

/* Returns the file's content followed by a NUL. The caller frees it. */
char *scratch_read(const char *name, size_t *size);

#define scratch_put_text(name, text)          scratch_put((name), (text), strlen(text))
#define scratch_assert_holds_text(name, text) scratch_assert_holds((name), (text), strlen(text))

#endif
