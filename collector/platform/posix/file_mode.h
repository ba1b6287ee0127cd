/* Creates files with the modes of collector/platform/file_system.h. */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_FILE_MODE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_FILE_MODE_H

#include <sys/types.h>

/* Returns the mode for open(2): FILE_MODE_USUAL for 0. */
mode_t file_mode_of(unsigned mode);

/*
 * Returns the mode for mkdir(2) of a folder of such files: users that can read the files can search
 * the folder.
 */
mode_t file_mode_of_folder(unsigned mode);

/*
 * Creates a file that must not exist, by guarded_open with these flags, O_CREAT and O_EXCL. A mode
 * other than 0 is set whatever the umask is. Returns the descriptor, or -1 with errno; if the mode
 * cannot be set, the file is removed again.
 */
int file_mode_create(const char *path, int flags, unsigned mode);

#endif
