/* A directory of a test's own, and files in it. An error fails the running cmocka test. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_SCRATCH_DIRECTORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_SCRATCH_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* A cmocka setup and teardown. One test at a time has such a directory. */
int scratch_make(void **state);
int scratch_remove(void **state);

/* The path of a name in the directory. It is overwritten by the eighth call after this one. */
const char *scratch_path(const char *name);

void scratch_make_folder(const char *name);

/* Whether an entry has that name, and the number of entries of a folder ("": the directory). */
bool scratch_has(const char *name);
size_t scratch_count(const char *name);

void scratch_put(const char *name, const char *bytes, size_t size);
void scratch_assert_holds(const char *name, const char *bytes, size_t size);

/* Lets no other user open the file, on systems whose files have modes. */
void scratch_make_private(const char *name);

/* The content of a file with a NUL after it; the caller frees it. */
char *scratch_read(const char *name, size_t *size);

#define scratch_put_text(name, text)          scratch_put((name), (text), strlen(text))
#define scratch_assert_holds_text(name, text) scratch_assert_holds((name), (text), strlen(text))

#endif
