#include "collector/platform/data_file.h"

#include <stdlib.h>

#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/system_error.h"

/* mingw-w64's headers lack this error. */
#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295
#endif

/* The most bytes of one call: the system's sizes have 32 bits. */
#define PIECE_SIZE ((size_t)1 << 30)

static HANDLE handle_of(struct data_file file)
{
    return (HANDLE)file.handle;
}

static bool data_file_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, system_error(GetLastError()).text);
    return false;
}

static enum data_file_result data_file_failed(struct error *error, const char *what)
{
    DWORD number = GetLastError();
    data_file_fail(error, what);
    bool full = number == ERROR_DISK_FULL || number == ERROR_HANDLE_DISK_FULL ||
                number == ERROR_DISK_QUOTA_EXCEEDED || number == ERROR_FILE_TOO_LARGE;
    return full ? DATA_FILE_FULL : DATA_FILE_FAILED;
}

static HANDLE data_file_open_file(const char *path, DWORD disposition, DWORD flags)
{
    wchar_t *wide = file_access_path(path);
    if (wide == NULL)
        return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_ALL, NULL,
                                disposition, FILE_ATTRIBUTE_NORMAL | flags, NULL);
    DWORD number = GetLastError();
    free(wide);
    SetLastError(number);
    return handle;
}

static enum data_file_result data_file_keep(HANDLE handle, struct data_file *out)
{
    BY_HANDLE_FILE_INFORMATION found;
    if (GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &found) &&
        (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
        out->handle = (intptr_t)handle;
        return DATA_FILE_DONE;
    }
    CloseHandle(handle);
    return DATA_FILE_MISSING;
}

enum data_file_result data_file_make(const char *path, struct data_file *out, struct error *error)
{
    HANDLE handle = data_file_open_file(path, CREATE_NEW, FILE_FLAG_OPEN_REPARSE_POINT);
    if (handle == INVALID_HANDLE_VALUE) {
        if (GetLastError() == ERROR_FILE_EXISTS || GetLastError() == ERROR_ALREADY_EXISTS)
            return DATA_FILE_TAKEN;
        return data_file_failed(error, "cannot create it");
    }
    if (data_file_keep(handle, out) == DATA_FILE_DONE)
        return DATA_FILE_DONE;
    error_set(error, EXIT_CODE_IO, "cannot create it: not a regular file"); /* a device: "nul" */
    return DATA_FILE_FAILED;
}

/*
 * Returns true if the path names a folder. Opening a folder fails with "access denied", like
 * opening a file that may not be read.
 */
static bool is_folder(const char *path)
{
    wchar_t *wide = file_access_path(path);
    DWORD attributes = wide == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

static enum data_file_result data_file_open_with(const char *path, DWORD flags,
                                                 struct data_file *out, struct error *error)
{
    HANDLE handle = data_file_open_file(path, OPEN_EXISTING, flags);
    if (handle != INVALID_HANDLE_VALUE)
        return data_file_keep(handle, out);
    if (GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND)
        return DATA_FILE_MISSING;
    data_file_fail(error, "cannot open it");
    if (is_folder(path))
        return DATA_FILE_MISSING;
    return DATA_FILE_FAILED;
}

enum data_file_result data_file_open(const char *path, struct data_file *out, struct error *error)
{
    return data_file_open_with(path, FILE_FLAG_OPEN_REPARSE_POINT, out, error);
}

enum data_file_result data_file_open_linked(const char *path, struct data_file *out,
                                            struct error *error)
{
    return data_file_open_with(path, 0, out, error);
}

bool data_file_size(struct data_file file, uint64_t *size, struct error *error)
{
    LARGE_INTEGER found;
    if (!GetFileSizeEx(handle_of(file), &found))
        return data_file_fail(error, "cannot look at it");
    *size = (uint64_t)found.QuadPart;
    return true;
}

static OVERLAPPED data_file_place_of(uint64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

static DWORD part_of(size_t size)
{
    return (DWORD)(size < PIECE_SIZE ? size : PIECE_SIZE);
}

bool data_file_read(struct data_file file, uint64_t offset, void *bytes, size_t size, size_t *got,
                    struct error *error)
{
    *got = 0;
    while (*got < size) {
        OVERLAPPED place = data_file_place_of(offset + *got);
        DWORD part = 0;
        if (!ReadFile(handle_of(file), (char *)bytes + *got, part_of(size - *got), &part, &place)) {
            if (GetLastError() == ERROR_HANDLE_EOF)
                break;
            return data_file_fail(error, "cannot read");
        }
        if (part == 0)
            break;
        *got += part;
    }
    return true;
}

enum data_file_result data_file_write(struct data_file file, uint64_t offset,
                                      const struct text *pieces, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t sent = 0; sent < pieces[i].size;) {
            OVERLAPPED place = data_file_place_of(offset);
            DWORD part = 0;
            bool done = WriteFile(handle_of(file), pieces[i].data + sent,
                                  part_of(pieces[i].size - sent), &part, &place) != 0;
            if (done && part == 0)
                SetLastError(ERROR_DISK_FULL);
            if (!done || part == 0)
                return data_file_failed(error, "cannot write");
            offset += part;
            sent += part;
        }
    }
    return DATA_FILE_DONE;
}

bool data_file_cut(struct data_file file, uint64_t size, struct error *error)
{
    return shared_file_set_size(handle_of(file), size) ||
           data_file_fail(error, "cannot cut it off");
}

bool data_file_sync(struct data_file file, struct error *error)
{
    return FlushFileBuffers(handle_of(file)) || data_file_fail(error, "cannot write to the disk");
}

void data_file_close(struct data_file file)
{
    CloseHandle(handle_of(file));
}
