/*
 * Implements struct input_file for Windows' files and named pipes.
 *
 * A named pipe, \\.\pipe\NAME or a pipe of another computer, is live: the program is its
 * client, and the writer has created it. A read continues while the caller does other work, so the
 * pipe is read ahead into a buffer of the file. An event reports the end of the read, and another
 * event cancels the wait.
 *
 * No other file is live here. A console or another device is refused, because it can only be waited
 * for by a read that cannot be cancelled. An unnamed pipe, as a shell creates it, has no path to
 * open it by.
 */
#include "collector/platform/input_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/system_error.h"

/* The usual capacity of a pipe. */
#define AHEAD_SIZE ((size_t)64 * 1024)

/* The most bytes of one call: the system's sizes have 32 bits. */
#define PIECE_SIZE ((size_t)1 << 30)

struct ahead {
    HANDLE cancel;       /* an event, never reset */
    OVERLAPPED transfer; /* its event is set when the read ends */
    bool reading;        /* a read was begun and its end was not seen yet */
    size_t used, filled; /* number of bytes of `bytes` that were returned, and that were read */
    char bytes[AHEAD_SIZE];
};

struct input_file {
    HANDLE handle;
    struct ahead *ahead; /* NULL if the file is not live */
    BY_HANDLE_FILE_INFORMATION
    opened; /* the information when a file was opened; zero for a pipe */
    _Atomic bool cancelled;
};

static int cannot_open(const char *path, const char *why, struct error *error)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be opened: %s", path, why);
    return -1;
}

static int cannot_open_by(const char *path, DWORD number, struct error *error)
{
    return cannot_open(path, system_error(number).text, error);
}

static int no_means(const char *path, const char *what, struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", path, what);
    return -1;
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Returns true for a path like \\COMPUTER\pipe\NAME. COMPUTER is "." for this computer. */
static bool is_pipe(const char *path)
{
    static const char word[] = "pipe";
    if (!is_separator(path[0]) || !is_separator(path[1]))
        return false;
    const char *rest = path + 2 + strcspn(path + 2, "/\\");
    return rest[0] != '\0' && _strnicmp(rest + 1, word, sizeof word - 1) == 0 &&
           is_separator(rest[sizeof word]);
}

static HANDLE open_shared(const wchar_t *path, DWORD flags)
{
    return CreateFileW(path, GENERIC_READ, FILE_SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL);
}

/*
 * Opens a file that is not a pipe. Opens a folder, too, to return a different error than for a file
 * that may not be read.
 */
static int input_open_file(const wchar_t *wide, const char *path, HANDLE *handle,
                           BY_HANDLE_FILE_INFORMATION *found, struct error *error)
{
    *handle = open_shared(wide, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_SEQUENTIAL_SCAN);
    if (*handle == INVALID_HANDLE_VALUE)
        return cannot_open_by(path, GetLastError(), error);
    const char *why = NULL;
    if (GetFileType(*handle) != FILE_TYPE_DISK)
        why = "it is a device";
    else if (GetFileInformationByHandle(*handle, found) &&
             (found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
        why = "it is a folder";
    if (why == NULL)
        return 0;
    CloseHandle(*handle);
    *handle = INVALID_HANDLE_VALUE;
    return cannot_open(path, why, error);
}

/* The flags allow the pipe's server to identify this user, but not to act as this user. */
static int open_pipe(const wchar_t *wide, const char *path, struct input_file *file,
                     struct error *error)
{
    static const DWORD flags =
        FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION;
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (ahead == NULL)
        return no_means(path, "out of memory", error);
    file->ahead = ahead;
    ahead->cancel = CreateEventW(NULL, TRUE, FALSE, NULL);
    ahead->transfer.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (ahead->cancel == NULL || ahead->transfer.hEvent == NULL)
        return no_means(path, "cannot create an event", error);
    file->handle = open_shared(wide, flags);
    return file->handle == INVALID_HANDLE_VALUE ? cannot_open_by(path, GetLastError(), error) : 0;
}

int input_file_look(const char *path, bool *live, struct error *error)
{
    wchar_t *wide = file_access_path(path);
    int result = 0;
    *live = is_pipe(path);
    if (wide == NULL) {
        result = cannot_open_by(path, GetLastError(), error);
    } else if (*live) {
        /* ERROR_SEM_TIMEOUT: the pipe has another client now, but may be free when it is opened. */
        if (!WaitNamedPipeW(wide, 1) && GetLastError() != ERROR_SEM_TIMEOUT)
            result = cannot_open_by(path, GetLastError(), error);
    } else {
        HANDLE handle;
        BY_HANDLE_FILE_INFORMATION found;
        result = input_open_file(wide, path, &handle, &found, error);
        if (result == 0)
            CloseHandle(handle);
    }
    free(wide);
    return result;
}

int input_file_open(const char *path, struct input_file **out, struct error *error)
{
    struct input_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return no_means(path, "out of memory", error);
    file->handle = INVALID_HANDLE_VALUE;
    wchar_t *wide = file_access_path(path);
    int result;
    if (wide == NULL)
        result = cannot_open_by(path, GetLastError(), error);
    else if (is_pipe(path))
        result = open_pipe(wide, path, file, error);
    else
        result = input_open_file(wide, path, &file->handle, &file->opened, error);
    free(wide);
    if (result != 0) {
        input_file_close(file);
        return -1;
    }
    *out = file;
    return 0;
}

bool input_file_is_live(const struct input_file *file)
{
    return file->ahead != NULL;
}

uint64_t input_file_size(const struct input_file *file)
{
    LARGE_INTEGER size;
    if (file->ahead != NULL || !GetFileSizeEx(file->handle, &size))
        return 0;
    return (uint64_t)size.QuadPart;
}

bool input_file_has_changed(const struct input_file *file)
{
    BY_HANDLE_FILE_INFORMATION now;
    const BY_HANDLE_FILE_INFORMATION *opened = &file->opened;
    return file->ahead == NULL && GetFileInformationByHandle(file->handle, &now) &&
           (now.nFileSizeLow != opened->nFileSizeLow ||
            now.nFileSizeHigh != opened->nFileSizeHigh ||
            CompareFileTime(&now.ftLastWriteTime, &opened->ftLastWriteTime) != 0);
}

/* Windows has no modes. It controls access by lists, which files inherit from their folder. */
enum input_exposure input_file_exposure(const struct input_file *file)
{
    (void)file;
    return EXPOSURE_NONE;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum input_result ended(DWORD number, struct error *error)
{
    if (number == ERROR_HANDLE_EOF || number == ERROR_BROKEN_PIPE ||
        number == ERROR_PIPE_NOT_CONNECTED)
        return INPUT_END;
    error_set(error, EXIT_CODE_BAD_INPUT, "%s", system_error(number).text);
    return INPUT_FAILED;
}

static enum input_result read_file(struct input_file *file, void *bytes, size_t size, size_t *got,
                                   struct error *error)
{
    DWORD count = 0;
    if (!ReadFile(file->handle, bytes, (DWORD)(size < PIECE_SIZE ? size : PIECE_SIZE), &count,
                  NULL))
        return ended(GetLastError(), error);
    *got = count;
    return count != 0 ? INPUT_BYTES : INPUT_END;
}

/*
 * Begins a read, or checks the running one. Returns 0, ERROR_IO_INCOMPLETE while the read runs, or
 * the error.
 */
static DWORD read_ahead(struct input_file *file)
{
    struct ahead *ahead = file->ahead;
    DWORD count = 0;
    if (!ahead->reading) {
        bool failed = !ReadFile(file->handle, ahead->bytes, AHEAD_SIZE, NULL, &ahead->transfer);
        if (failed && GetLastError() != ERROR_IO_PENDING && GetLastError() != ERROR_MORE_DATA)
            return GetLastError();
        ahead->reading = true;
    }
    bool done = GetOverlappedResult(file->handle, &ahead->transfer, &count, FALSE) != 0;
    DWORD number = done ? ERROR_SUCCESS : GetLastError();
    if (number == ERROR_IO_INCOMPLETE)
        return number;
    ahead->reading = false;
    ahead->used = 0;
    ahead->filled = count;
    /* The next read returns the rest of a longer message. */
    return number == ERROR_MORE_DATA ? ERROR_SUCCESS : number;
}

static enum input_result read_pipe(struct input_file *file, void *bytes, size_t size, size_t *got,
                                   struct error *error)
{
    struct ahead *ahead = file->ahead;
    /* A message of zero bytes does not end the file. */
    while (ahead->used == ahead->filled) {
        DWORD number = read_ahead(file);
        if (number == ERROR_IO_INCOMPLETE)
            return INPUT_WOULD_WAIT;
        if (number != ERROR_SUCCESS)
            return ended(number, error);
    }
    size_t part = ahead->filled - ahead->used;
    *got = part < size ? part : size;
    memcpy(bytes, ahead->bytes + ahead->used, *got);
    ahead->used += *got;
    return INPUT_BYTES;
}

enum input_result input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                                  struct error *error)
{
    if (atomic_load_explicit(&file->cancelled, memory_order_relaxed))
        return INPUT_CANCELLED;
    return (file->ahead != NULL ? read_pipe : read_file)(file, bytes, size, got, error);
}

void input_file_wait(struct input_file *file)
{
    input_file_wait_for(file, INFINITE);
}

void input_file_wait_for(struct input_file *file, unsigned milliseconds)
{
    const struct ahead *ahead = file->ahead;
    /*
     * After INPUT_WOULD_WAIT a read is running. Without a running read only a cancellation would
     * end the wait.
     */
    if (!ahead->reading)
        return;
    const HANDLE events[] = {ahead->cancel, ahead->transfer.hEvent};
    (void)WaitForMultipleObjects(2, events, FALSE, milliseconds);
}

void input_file_cancel(struct input_file *file)
{
    if (!atomic_exchange(&file->cancelled, true) && file->ahead != NULL)
        SetEvent(file->ahead->cancel);
}

/* Ends a running read. It writes to `bytes`, so it must end before the memory is freed. */
static void end_reading(struct input_file *file)
{
    DWORD count;
    if (!file->ahead->reading)
        return;
    CancelIoEx(file->handle, &file->ahead->transfer);
    GetOverlappedResult(file->handle, &file->ahead->transfer, &count, TRUE);
}

void input_file_close(struct input_file *file)
{
    if (file == NULL)
        return;
    struct ahead *ahead = file->ahead;
    if (ahead != NULL) {
        end_reading(file);
        if (ahead->cancel != NULL)
            CloseHandle(ahead->cancel);
        if (ahead->transfer.hEvent != NULL)
            CloseHandle(ahead->transfer.hEvent);
    }
    if (file->handle != INVALID_HANDLE_VALUE)
        CloseHandle(file->handle);
    free(ahead);
    free(file);
}
