/*
 * Opens files by name and shares them with other programs, which may read, write, rename and remove
 * them. Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SHARED_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SHARED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Identifies an opened file under all its names. */
struct file_identity {
    DWORD volume;
    DWORD index_high;
    DWORD index_low;
    int64_t size; /* size in bytes when the file was identified; not part of its identity */
};

/*
 * Opens a path (UTF-8), and creates the file if `make` is set. Returns INVALID_HANDLE_VALUE with
 * GetLastError() on failure.
 */
HANDLE shared_file_open(const char *path, DWORD access, bool make);

/* Opens a path from file_access_path. Allocates no memory. */
HANDLE shared_file_open_made(const wchar_t *path, DWORD access);

/*
 * Opens a file that no other program has open for writing, and keeps other programs from opening it
 * for writing as long as it is open. Fails with ERROR_SHARING_VIOLATION if another program has it
 * open for writing.
 */
HANDLE shared_file_open_alone(const char *path, DWORD access);

bool shared_file_is_folder(const char *path);

/*
 * Returns true if the system refuses access even to the file's attributes. Usually the file was
 * removed and is still open.
 */
bool shared_file_is_refused(const char *path);

/* Fills the identity. Returns false if the file is not on a disk. */
bool shared_file_identify(HANDLE file, struct file_identity *identity);
bool shared_file_is_same(const struct file_identity *one, const struct file_identity *other);

/* Returns true if a path from file_access_path names this file; links are not followed. */
bool shared_file_is_at(HANDLE file, const wchar_t *path);

/* Cuts or extends a file to `size` bytes. Returns false with GetLastError() on failure. */
bool shared_file_set_size(HANDLE file, uint64_t size);

/*
 * Appends in one step, so that other programs' appends do not overlap it. Returns false with
 * GetLastError() on failure.
 */
bool shared_file_append(HANDLE file, const void *bytes, DWORD size, DWORD *written);

#endif
