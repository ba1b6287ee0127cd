/* A file that has no name and is gone with the program, for what is read by a path. */
#ifndef SLUICE_TESTS_FUZZ_MEMORY_FILE_H
#define SLUICE_TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>

#define MEMORY_FILE_PATH 64

struct memory_file {
    int descriptor;
    char path[MEMORY_FILE_PATH]; /* leads to it, within this program */
};

void memory_file_make(struct memory_file *file, const void *bytes, size_t size);
void memory_file_close(struct memory_file *file);

#endif
