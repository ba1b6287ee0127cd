/*
 * Makes a file in memory, for code that reads a file by its path. The file disappears when the
 * program ends.
 */
#ifndef SLUICE_TESTS_FUZZ_MEMORY_FILE_H
#define SLUICE_TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>

#define MEMORY_FILE_PATH 64

struct memory_file {
    int descriptor;
    char path[MEMORY_FILE_PATH]; /* valid only in this process */
};

void memory_file_make(struct memory_file *file, const void *bytes, size_t size);
void memory_file_close(struct memory_file *file);

#endif
