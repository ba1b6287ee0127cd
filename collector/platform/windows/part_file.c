/*
 * Implements struct part_file with Windows' files.
 *
 * A file is opened for reading and writing, but not for deleting: every other program that opens
 * the file would have to share deleting, and many programs that read logs do not. So the file is
 * renamed by its path. The lock is on a byte far beyond the end of any file, because other programs
 * cannot read locked bytes.
 */
#include "collector/platform/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/system_error.h"

#define LOCKED_BYTE (UINT64_C(1) << 62)

/* The most bytes of one call: the system's sizes have 32 bits. */
#define PIECE_SIZE ((size_t)1 << 30)

struct part_file {
    HANDLE handle;
    uint64_t size;
    bool torn; /* bytes of a failed append that could not be cut off follow */
    wchar_t *path;
};

static bool part_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, system_error(GetLastError()).text);
    return false;
}

static enum part_result part_cannot(const char *what, const char *path, struct error *error)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot %s %s: %s", what, path,
              system_error(GetLastError()).text);
    return PART_FAILED;
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    wchar_t *wide = file_access_path(path);
    bool made =
        wide != NULL && (CreateDirectoryW(wide, NULL) || GetLastError() == ERROR_ALREADY_EXISTS);
    free(wide);
    return made;
}

/* Creates the folders that are named after the first `from` bytes of the path. */
static bool make_folders(const char *path, size_t from)
{
    size_t length = strlen(path);
    char *folder = malloc(length + 1);
    bool made = folder != NULL;
    if (made)
        memcpy(folder, path, length + 1);
    for (size_t i = from; made && i < length; i++) {
        if (folder[i] != '/' || i == 0)
            continue;
        folder[i] = '\0';
        made = make_folder(folder);
        folder[i] = '/';
    }
    free(folder);
    return made;
}

static HANDLE part_open_file(const wchar_t *path, DWORD disposition)
{
    return CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_ALL, NULL, disposition,
                       FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
}

static HANDLE create_file(const wchar_t *wide, const char *path, size_t base_length)
{
    HANDLE handle = part_open_file(wide, CREATE_NEW);
    if (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PATH_NOT_FOUND &&
        make_folders(path, base_length))
        handle = part_open_file(wide, CREATE_NEW);
    return handle;
}

static bool lock_file(HANDLE handle)
{
    OVERLAPPED place = {.Offset = (DWORD)LOCKED_BYTE, .OffsetHigh = (DWORD)(LOCKED_BYTE >> 32)};
    return LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                      &place) ||
           GetLastError() != ERROR_LOCK_VIOLATION;
}

/*
 * Locks the opened file; on a file system without locks it stays unlocked. Another program may have
 * renamed or removed the file between the open and the lock, so the name is checked after locking.
 */
static enum part_result part_lock(HANDLE handle, const wchar_t *path)
{
    if (!lock_file(handle))
        return PART_LOCKED;
    return shared_file_is_at(handle, path) ? PART_DONE : PART_MISSING;
}

/* Takes over the handle and the path unless memory is short. Returns PART_DONE or PART_FAILED. */
static enum part_result part_keep(wchar_t *path, HANDLE handle, uint64_t size,
                                  struct part_file **out, struct error *error)
{
    struct part_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a file");
        return PART_FAILED;
    }
    *file = (struct part_file){.handle = handle, .size = size, .path = path};
    *out = file;
    return PART_DONE;
}

static enum part_result part_give_up(wchar_t *path, HANDLE handle, enum part_result result)
{
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    free(path);
    return result;
}

/*
 * Fills `error`. Returns PART_BUSY if another program keeps the name in use: on some volumes the
 * name of a removed file stays until every program has closed it. Otherwise returns PART_FAILED.
 */
static enum part_result part_failed(const char *what, const char *path, struct error *error)
{
    DWORD number = GetLastError();
    part_cannot(what, path, error);
    bool held = number == ERROR_SHARING_VIOLATION ||
                (number == ERROR_ACCESS_DENIED && shared_file_is_refused(path));
    return held ? PART_BUSY : PART_FAILED;
}

static bool has_base(const char *path, size_t length)
{
    char *folder = malloc(length + sizeof ".");
    if (folder == NULL)
        return false;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", sizeof ".");
    bool found = folder_is_readable(folder);
    free(folder);
    return found;
}

/*
 * Returns true if the error concerns only this path, not every path below its base folder. "Access
 * denied" may concern all: a file system that is read-only for a time reports it, too.
 */
static bool is_refusal(DWORD number, const char *path, size_t base_length)
{
    if (number == ERROR_FILENAME_EXCED_RANGE || number == ERROR_INVALID_NAME)
        return true;
    if (number == ERROR_FILE_NOT_FOUND) /* Wine's error if the name is too long */
        return has_base(path, base_length);
    bool of_folder = number == ERROR_PATH_NOT_FOUND || number == ERROR_DIRECTORY;
    return of_folder && strchr(path + base_length, '/') != NULL && has_base(path, base_length);
}

static enum part_result part_not_created(const char *path, size_t base_length, struct error *error)
{
    DWORD number = GetLastError();
    if (number == ERROR_FILE_EXISTS || number == ERROR_ALREADY_EXISTS)
        return PART_TAKEN;
    enum part_result result = part_failed("create", path, error);
    bool refused = result == PART_FAILED && is_refusal(number, path, base_length);
    return refused ? PART_REFUSED : result;
}

enum part_result part_file_open_new(const char *path, size_t base_length, unsigned mode,
                                    struct part_file **out, struct error *error)
{
    (void)mode; /* Windows has no modes (file_modes_exist) */
    wchar_t *wide = file_access_path(path);
    if (wide == NULL)
        return part_cannot("create", path, error);
    HANDLE handle = create_file(wide, path, base_length);
    if (handle == INVALID_HANDLE_VALUE)
        return part_give_up(wide, handle, part_not_created(path, base_length, error));
    /* "con.part" names a device in every folder. */
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot create %s: it is a device", path);
        return part_give_up(wide, handle, PART_REFUSED);
    }
    /*
     * PART_TAKEN: another program took the file for one that an ended program left, and locked or
     * removed it.
     */
    if (part_lock(handle, wide) != PART_DONE)
        return part_give_up(wide, handle, PART_TAKEN);
    if (part_keep(wide, handle, 0, out, error) == PART_DONE)
        return PART_DONE;
    DeleteFileW(wide);
    return part_give_up(wide, handle, PART_FAILED);
}

/* The file gets the permissions of its folder. */
enum part_result part_file_open_private(const char *path, size_t base_length,
                                        struct part_file **out, struct error *error)
{
    return part_file_open_new(path, base_length, 0, out, error);
}

enum part_result part_file_open_left(const char *path, struct part_file **out, struct error *error)
{
    wchar_t *wide = file_access_path(path);
    if (wide == NULL)
        return part_cannot("open", path, error);
    HANDLE handle = part_open_file(wide, OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE) {
        bool missing =
            GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND;
        return part_give_up(wide, handle,
                            missing ? PART_MISSING : part_failed("open", path, error));
    }
    BY_HANDLE_FILE_INFORMATION found;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &found))
        return part_give_up(wide, handle, PART_MISSING);
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot open %s: it leads elsewhere", path);
        return part_give_up(wide, handle, PART_FAILED);
    }
    uint64_t size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
    enum part_result result = part_lock(handle, wide);
    if (result == PART_DONE)
        result = part_keep(wide, handle, size, out, error);
    return result == PART_DONE ? PART_DONE : part_give_up(wide, handle, result);
}

/* --- reading and writing ---------------------------------------------------------------------- */

uint64_t part_file_size(const struct part_file *file)
{
    return file->size;
}

static bool size_now(const struct part_file *file, uint64_t *size)
{
    LARGE_INTEGER found;
    if (!GetFileSizeEx(file->handle, &found))
        return false;
    *size = (uint64_t)found.QuadPart;
    return true;
}

/*
 * Notes the present size of the file, without a torn end. Other programs can cut the file or append
 * to it in spite of the lock, for example to free space on a full disk.
 */
static void note_size(struct part_file *file, uint64_t size)
{
    if (!file->torn || size < file->size)
        file->size = size;
}

bool part_file_is_there(struct part_file *file)
{
    uint64_t size;
    if (!size_now(file, &size))
        return false;
    note_size(file, size);
    return shared_file_is_at(file->handle, file->path);
}

/* Cuts off what a failed append has left. Never extends a file that another program has cut. */
static bool part_mend(struct part_file *file)
{
    uint64_t size;
    if (!file->torn)
        return true;
    if (!size_now(file, &size) ||
        (size > file->size && !shared_file_set_size(file->handle, file->size)))
        return false;
    file->torn = false;
    return true;
}

bool part_file_append(struct part_file *file, const void *bytes, size_t size, struct error *error)
{
    uint64_t before;
    if (!part_mend(file))
        return part_fail(error, "cannot cut off a torn end");
    if (!size_now(file, &before))
        return part_fail(error, "cannot look at it");
    note_size(file, before);
    size_t sent = 0;
    while (sent < size) {
        DWORD part = (DWORD)(size - sent < PIECE_SIZE ? size - sent : PIECE_SIZE);
        DWORD written = 0;
        bool done = shared_file_append(file->handle, (const char *)bytes + sent, part, &written);
        sent += written;
        if (done && written != 0)
            continue;
        DWORD number = done ? ERROR_DISK_FULL : GetLastError();
        file->torn = sent != 0;
        part_mend(file);
        SetLastError(number);
        return part_fail(error, "cannot write");
    }
    file->size += size;
    return true;
}

size_t part_file_read(struct part_file *file, uint64_t offset, void *bytes, size_t size)
{
    size_t got = 0;
    while (got < size) {
        uint64_t from = offset + got;
        OVERLAPPED place = {.Offset = (DWORD)from, .OffsetHigh = (DWORD)(from >> 32)};
        DWORD wanted = (DWORD)(size - got < PIECE_SIZE ? size - got : PIECE_SIZE);
        DWORD part = 0;
        if (!ReadFile(file->handle, (char *)bytes + got, wanted, &part, &place) || part == 0)
            break;
        got += part;
    }
    return got;
}

bool part_file_is_torn(const struct part_file *file)
{
    return file->torn;
}

bool part_file_cut(struct part_file *file, uint64_t size, struct error *error)
{
    if (!shared_file_set_size(file->handle, size))
        return part_fail(error, "cannot cut it off");
    file->size = size;
    file->torn = false;
    return true;
}

bool part_file_sync(struct part_file *file, struct error *error)
{
    if (!part_mend(file))
        return part_fail(error, "cannot cut off a torn end");
    return FlushFileBuffers(file->handle) || part_fail(error, "cannot write to the disk");
}

/* --- the end ---------------------------------------------------------------------------------- */

static enum part_result rename_to(struct part_file *file, const char *name, struct error *error)
{
    wchar_t *wide = file_access_path(name);
    bool done = wide != NULL && MoveFileExW(file->path, wide, 0);
    DWORD number = GetLastError();
    free(wide);
    if (done)
        return PART_DONE;
    if (number == ERROR_ALREADY_EXISTS || number == ERROR_FILE_EXISTS)
        return PART_TAKEN;
    if (number == ERROR_FILE_NOT_FOUND && !part_file_is_there(file))
        return PART_MISSING;
    error_set(error, EXIT_CODE_IO, "cannot rename it to %s: %s", name, system_error(number).text);
    return number == ERROR_SHARING_VIOLATION ? PART_BUSY : PART_FAILED;
}

enum part_result part_file_complete(struct part_file *file, const char *name, struct error *error)
{
    if (!part_mend(file)) {
        part_fail(error, "cannot cut off a torn end");
        return PART_FAILED;
    }
    if (!part_file_is_there(file))
        return PART_MISSING;
    enum part_result result = rename_to(file, name, error);
    if (result == PART_DONE)
        part_file_close(file);
    return result;
}

bool part_file_remove(struct part_file *file, struct error *error)
{
    bool gone = !part_file_is_there(file) || DeleteFileW(file->path) ||
                part_fail(error, "cannot remove it");
    part_file_close(file);
    return gone;
}

void part_file_close(struct part_file *file)
{
    if (file == NULL)
        return;
    part_mend(file);
    CloseHandle(file->handle);
    free(file->path);
    free(file);
}
