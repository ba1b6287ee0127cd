/*
 * A folder in memory that a target has to itself, for code that reads files by their names. It is
 * removed when the program ends by itself.
 */
#ifndef SLUICE_TESTS_FUZZ_SCRATCH_FOLDER_H
#define SLUICE_TESTS_FUZZ_SCRATCH_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define SCRATCH_PATH_SIZE 512
#define SCRATCH_FILES     128

/* Its path, and that of a name in it. */
const char *scratch_folder(void);
void scratch_file(const char *name, char path[SCRATCH_PATH_SIZE]);

/* Removes all files in it. */
void scratch_empty(void);

void scratch_write(const char *name, const void *bytes, size_t size);

/*
 * The current content of a file, in a block of its own size, which the caller frees. NULL: there is
 * no such file.
 */
uint8_t *scratch_read(const char *name, size_t *size);

/* Sets `names` to the sorted names of all files. Returns their number. */
size_t scratch_list(char names[SCRATCH_FILES][SCRATCH_PATH_SIZE]);

#endif
