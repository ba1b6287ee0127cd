/*
 * Which file a path names, so that two paths to one file are seen to be that: by a link, by "./", or
 * by a second name. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_FILE_PLACE_H
#define SLUICE_COLLECTOR_PLATFORM_FILE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#define FILE_PLACE_NAME_SIZE 256

/* An existing file or folder; or, of a file that does not exist, its folder and its name. */
struct file_place {
    uint64_t volume, number;         /* of the file, or of the folder that it would be in */
    char name[FILE_PLACE_NAME_SIZE]; /* empty: of the file itself */
};

/*
 * Returns false where the folder does not exist or may not be searched, or the path names a pipe or
 * a device.
 */
bool file_place_find(const char *path, struct file_place *place);

/* The same of the file that standard output leads to. */
bool file_place_of_stdout(struct file_place *place);

bool file_place_same(const struct file_place *a, const struct file_place *b);

#endif
