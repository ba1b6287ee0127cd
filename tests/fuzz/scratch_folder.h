/*
 * Makes a folder in memory that only this target uses, for code that reads files by their names.
 * The folder is removed when the program exits normally.
 */
#ifndef SLUICE_TESTS_FUZZ_SCRATCH_FOLDER_H
#define SLUICE_TESTS_FUZZ_SCRATCH_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define SCRATCH_PATH_SIZE 512
#define SCRATCH_FILES     128

/* Return the path of the folder, and of a name in it. */
const char *scratch_folder(void);
void scratch_file(const char *name, char path[SCRATCH_PATH_SIZE]);

/* Removes all files in the folder. */
void scratch_empty(void);

void scratch_write(const char *name, const void *bytes, size_t size);

/*
 * Returns the current content of a file in a block of exactly its size, which the caller frees.
 * Returns NULL if the file does not exist.
 */
uint8_t *scratch_read(const char *name, size_t *size);

/* Writes the sorted names of all files to `names`. Returns their number. */
size_t scratch_list(char names[SCRATCH_FILES][SCRATCH_PATH_SIZE]);

#endif
