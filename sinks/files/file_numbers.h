/*
 * Remembers, for each path of a sink, the next number for the name of a complete file. For a path
 * whose number is unknown the folder must be searched, which takes long for a large folder.
 *
 * Memory is bounded: the numbers of the least recently used paths are forgotten. For the sink's
 * thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_FILE_NUMBERS_H
#define SLUICE_SINKS_FILES_FILE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct file_numbers;

/* There is room for about `paths` paths in use. Returns NULL if out of memory. */
struct file_numbers *file_numbers_create(size_t paths);

/* NULL is allowed. */
void file_numbers_destroy(struct file_numbers *numbers);

/* Returns the bytes that file_numbers_create allocates. */
size_t file_numbers_memory(size_t paths);

/* Returns one more than the highest number noted for the path, or 0 if none is known. */
int64_t file_numbers_next(struct file_numbers *numbers, const char *path);

/* Notes that a file of the path has the number, from 0 (no number) to PATH_NUMBER_MAX. */
void file_numbers_note(struct file_numbers *numbers, const char *path, int64_t number);

#endif
