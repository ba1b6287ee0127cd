/* Creating files with a mode, as collector/platform/file_system.h says. */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_FILE_MODE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_FILE_MODE_H

#include <sys/types.h>

/* The mode for open(2): the default for 0. */
mode_t file_mode_of(unsigned mode);

/* The mode for mkdir(2) of a folder of such files: those that can read them can search it. */
mode_t file_mode_of_folder(unsigned mode);

/*
 * Creates a file that must not exist, by guarded_open with these flags and O_CREAT and O_EXCL. A
 * mode other than 0 is set whatever the umask is. Returns the descriptor, or -1 with errno, and then
 * the file does not exist.
 */
int file_mode_create(const char *path, int flags, unsigned mode);

#endif
