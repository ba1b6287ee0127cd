#include "collector/platform/windows/shared_file.h"

#include <stdlib.h>

#include "collector/platform/windows/file_access.h"

static HANDLE shared_file_open_file(const char *path, DWORD access, DWORD share, DWORD disposition)
{
    wchar_t *wide = file_access_path(path);
    if (wide == NULL)
        return INVALID_HANDLE_VALUE;
    HANDLE file = CreateFileW(wide, access, share, NULL, disposition, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD failure = GetLastError();
    free(wide);
    SetLastError(failure);
    return file;
}

HANDLE shared_file_open(const char *path, DWORD access, bool make)
{
    return shared_file_open_file(path, access, FILE_SHARE_ALL, make ? OPEN_ALWAYS : OPEN_EXISTING);
}

HANDLE shared_file_open_made(const wchar_t *path, DWORD access)
{
    return CreateFileW(path, access, FILE_SHARE_ALL, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL,
                       NULL);
}

HANDLE shared_file_open_alone(const char *path, DWORD access)
{
    return shared_file_open_file(path, access, FILE_SHARE_READ | FILE_SHARE_DELETE, OPEN_EXISTING);
}

/* Returns INVALID_FILE_ATTRIBUTES with GetLastError() on failure. */
static DWORD attributes_of(const char *path)
{
    wchar_t *wide = file_access_path(path);
    DWORD found = wide == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    DWORD failure = GetLastError();
    free(wide);
    SetLastError(failure);
    return found;
}

bool shared_file_is_folder(const char *path)
{
    DWORD found = attributes_of(path);
    return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

bool shared_file_is_refused(const char *path)
{
    return attributes_of(path) == INVALID_FILE_ATTRIBUTES && GetLastError() == ERROR_ACCESS_DENIED;
}

bool shared_file_identify(HANDLE file, struct file_identity *identity)
{
    BY_HANDLE_FILE_INFORMATION found;
    if (!GetFileInformationByHandle(file, &found))
        return false;
    *identity = (struct file_identity){
        .volume = found.dwVolumeSerialNumber,
        .index_high = found.nFileIndexHigh,
        .index_low = found.nFileIndexLow,
        .size = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow)};
    return true;
}

bool shared_file_is_same(const struct file_identity *one, const struct file_identity *other)
{
    return one->volume == other->volume && one->index_high == other->index_high &&
           one->index_low == other->index_low;
}

bool shared_file_is_at(HANDLE file, const wchar_t *path)
{
    struct file_identity this_one;
    struct file_identity named;
    /* Opening a file only for its attributes succeeds regardless of what other programs share. */
    HANDLE other = CreateFileW(path, FILE_READ_ATTRIBUTES, FILE_SHARE_ALL, NULL, OPEN_EXISTING,
                               FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (other == INVALID_HANDLE_VALUE)
        return false;
    bool found = shared_file_identify(file, &this_one) && shared_file_identify(other, &named) &&
                 shared_file_is_same(&this_one, &named);
    CloseHandle(other);
    return found;
}

bool shared_file_set_size(HANDLE file, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end) != 0;
}

/* The offset of all ones means the end of the file at the time of the write (WriteFile). */
bool shared_file_append(HANDLE file, const void *bytes, DWORD size, DWORD *written)
{
    OVERLAPPED at_end = {.Offset = 0xffffffff, .OffsetHigh = 0xffffffff};
    return WriteFile(file, bytes, size, written, &at_end) != 0;
}
