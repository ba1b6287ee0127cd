/*
 * The numbers in the names of the complete files of a sink: which one is next for a path, as far as
 * this run knows. Otherwise the folder must be searched, which takes long for a large folder.
 *
 * Memory is bounded: the numbers of paths that were not used for the longest time are forgotten.
 * Used by the sink's thread, or before that thread starts.
 */
#ifndef SLUICE_SINKS_FILES_FILE_NUMBERS_H
#define SLUICE_SINKS_FILES_FILE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct file_numbers;

/* With room for about `paths` paths that are used in turns. Returns NULL if memory is short. */
struct file_numbers *file_numbers_create(size_t paths);

/* NULL is allowed. */
void file_numbers_destroy(struct file_numbers *numbers);

/* Bytes that file_numbers_create allocates. */
size_t file_numbers_memory(size_t paths);

/* Returns one more than the highest number noted for the path; 0: not known. */
int64_t file_numbers_next(struct file_numbers *numbers, const char *path);

/* Notes that a file of the path has this number, from 0 (none) to PATH_NUMBER_MAX. */
void file_numbers_note(struct file_numbers *numbers, const char *path, int64_t number);

#endif
