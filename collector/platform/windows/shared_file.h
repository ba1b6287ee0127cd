/*
 * Files by their names, shared with whoever else has them open: to read, to write, to rename and to
 * remove. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SHARED_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SHARED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Which file a name stood for when it was opened: it stays the same under any other name. */
struct file_identity {
    DWORD volume;
    DWORD index_high;
    DWORD index_low;
    int64_t size; /* bytes in it when it was asked; no part of its identity */
};

/*
 * Opens a path (UTF-8), or makes a file of it where `make` is set. INVALID_HANDLE_VALUE with
 * GetLastError() where that fails.
 */
HANDLE shared_file_open(const char *path, DWORD access, bool make);

/* Opens what a path, as file_access_path made it, names. Takes no memory. */
HANDLE shared_file_open_made(const wchar_t *path, DWORD access);

/*
 * Opens a file that nobody else has open for writing, and keeps them from it as long as it is open;
 * it fails with ERROR_SHARING_VIOLATION where somebody has.
 */
HANDLE shared_file_open_alone(const char *path, DWORD access);

bool shared_file_is_folder(const char *path);

/* Whether not even its attributes can be had, which mostly means that it was removed and is open.
 */
bool shared_file_is_refused(const char *path);

/* Fails for what is no file on a disk. */
bool shared_file_identify(HANDLE file, struct file_identity *identity);
bool shared_file_is_same(const struct file_identity *one, const struct file_identity *other);

/* Whether a path, as file_access_path made it, names this very file; a link leads to none. */
bool shared_file_is_at(HANDLE file, const wchar_t *path);

/* Makes a file end after its first `size` bytes; false with GetLastError(). */
bool shared_file_set_size(HANDLE file, uint64_t size);

/* Appends, as one with regard to whoever else appends; false with GetLastError(). */
bool shared_file_append(HANDLE file, const void *bytes, DWORD size, DWORD *written);

#endif
