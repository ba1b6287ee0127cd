/* Implements struct output_file for Windows' files, pipes, consoles and devices. */
#include "collector/platform/output_file.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/common/torn_end.h"
#include "collector/platform/file_system.h"
#include "collector/platform/windows/console.h"
#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/stream_thread.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/torn_line.h"

/*
 * The time in milliseconds after which a write counts as blocked. Usually the thread that writes
 * has finished by then.
 */
#define QUICK_MS 5

/*
 * A regular file that was opened by its name is written at its current end. Its handle may also cut
 * it, which a handle with FILE_APPEND_DATA could not do.
 */
struct output_file {
    HANDLE handle;                /* INVALID_HANDLE_VALUE after its name was released */
    struct stream_thread *thread; /* owns the handle; NULL for a regular file */
    char *path;                   /* NULL for standard output */
    wchar_t *made_path;           /* `path` as file_access_path returns it */
    struct file_identity identity;
    bool terminal;
    bool begun;
    int64_t end; /* for a regular file: where this program's last write ended, less what was rolled
                    back */
    uint64_t unmixed; /* bytes just before `end` that only this program wrote */
};

static int cannot_create(struct error *error, const char *what, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", what, why);
    return -1;
}

static bool is_regular(const struct output_file *file)
{
    return file->thread == NULL;
}

static void release(struct output_file *file)
{
    if (file == NULL)
        return;
    free(file->path);
    free(file->made_path);
    free(file);
}

/* Takes over the handle, even if it fails. Standard output (`path` NULL) is only borrowed. */
static int output_make(HANDLE handle, const char *path, struct output_file **out,
                       struct error *error)
{
    bool regular = GetFileType(handle) == FILE_TYPE_DISK;
    struct output_file *file = calloc(1, sizeof *file);
    if (file != NULL && path != NULL) {
        file->path = _strdup(path);
        file->made_path = file_access_path(path);
    }
    if (file == NULL || (path != NULL && (file->path == NULL || file->made_path == NULL))) {
        if (path != NULL)
            CloseHandle(handle);
        release(file);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for an output file");
        return -1;
    }
    file->handle = handle;
    file->terminal = console_is(handle);
    if (regular)
        shared_file_identify(handle, &file->identity);
    else if (stream_thread_create(handle, path != NULL, &file->thread, error) != 0) {
        release(file);
        return -1;
    }
    *out = file;
    return 0;
}

/* --- opening files by name -------------------------------------------------------------------- */

/*
 * Waits while another program has the file open without sharing writes: usually that program is
 * repairing the file.
 */
static HANDLE open_to_append(const char *path)
{
    for (unsigned waited_ms = 0;; waited_ms += TORN_END_PAUSE_MS) {
        HANDLE handle = shared_file_open(path, GENERIC_WRITE, true);
        if (handle != INVALID_HANDLE_VALUE || GetLastError() != ERROR_SHARING_VIOLATION ||
            !torn_end_is_patient(waited_ms))
            return handle;
        Sleep(TORN_END_PAUSE_MS);
    }
}

static int not_opened(const char *path, struct error *error)
{
    DWORD number = GetLastError();
    if (number == ERROR_FILE_NOT_FOUND) /* a regular file would have been created */
        return cannot_create(error, path, "this pipe has no reader, or there is no such device");
    if (number == ERROR_ACCESS_DENIED && shared_file_is_folder(path))
        return cannot_create(error, path, "it is a folder (error 5)");
    cannot_create(error, path, system_error(number).text);
    if (number == ERROR_PATH_NOT_FOUND)
        folder_advise_missing_of(path, error);
    return -1;
}

/* Returns true if the file may have a torn end: it is a regular file with content. */
static bool holds_something(HANDLE handle, struct file_identity *identity)
{
    LARGE_INTEGER size;
    return GetFileType(handle) == FILE_TYPE_DISK && GetFileSizeEx(handle, &size) &&
           size.QuadPart != 0 && shared_file_identify(handle, identity);
}

int output_file_open_append(const char *path, unsigned mode,
                            const struct output_file_format *format, struct output_file **out,
                            struct output_file_start *start, struct error *error)
{
    (void)mode; /* Windows has no modes (file_modes_exist) */
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    struct file_identity identity;
    HANDLE handle = open_to_append(path);
    if (handle != INVALID_HANDLE_VALUE && holds_something(handle, &identity)) {
        struct system_error failure;
        CloseHandle(handle);
        const char *why = torn_line_mend(path, &identity, format, start, &failure);
        if (why != NULL)
            return torn_end_not_mended(path, format, why, error);
        handle = open_to_append(path);
    }
    if (handle == INVALID_HANDLE_VALUE)
        return not_opened(path, error);
    return output_make(handle, path, out, error);
}

int output_file_check_content(const char *path, const struct output_file_format *format,
                              struct output_file_start *start, struct error *error)
{
    struct system_error failure;
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    if (strncmp(path, "//./", 4) == 0) /* opening a device or a pipe would have effects */
        return 0;
    const char *why = torn_line_judge(path, format, start, &failure);
    return why == NULL ? 0 : torn_end_not_mended(path, format, why, error);
}

/* --- standard output -------------------------------------------------------------------------- */

/*
 * Tests the handle with a write of zero bytes, which is harmless except to a pipe: its reader would
 * take it for the end.
 */
static bool takes_writes(HANDLE handle)
{
    DWORD written;
    return GetFileType(handle) == FILE_TYPE_PIPE || WriteFile(handle, "", 0, &written, NULL);
}

int output_file_open_stdout(struct output_file **out, struct error *error)
{
    HANDLE handle = GetStdHandle(STD_OUTPUT_HANDLE);
    if (handle == NULL || handle == INVALID_HANDLE_VALUE || !takes_writes(handle))
        return cannot_create(error, "standard output", "it is closed, or open for reading only");
    return output_make(handle, NULL, out, error);
}

/*
 * A stream that was closed before the program was started has the number of a handle that does not
 * exist, which the next opened file would get. A service has no streams; GetStdHandle then returns
 * NULL.
 */
void output_file_hold_standard_streams(void)
{
    static const DWORD streams[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        DWORD flags;
        HANDLE handle = GetStdHandle(streams[i]);
        if (handle != NULL && handle != INVALID_HANDLE_VALUE &&
            !GetHandleInformation(handle, &flags))
            SetStdHandle(streams[i], NULL);
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

static int64_t position(const struct output_file *file)
{
    LARGE_INTEGER found;
    const LARGE_INTEGER here = {0};
    return SetFilePointerEx(file->handle, here, &found, FILE_CURRENT) ? found.QuadPart : -1;
}

static int64_t output_size_of(const struct output_file *file)
{
    LARGE_INTEGER found;
    return GetFileSizeEx(file->handle, &found) ? found.QuadPart : -1;
}

/*
 * Checks whether the file was cut before this write: then the new bytes, which end at `end`, begin
 * before the end of the previous write. If so, removes the new bytes again. Returns false if the
 * file was not cut, or if that fails.
 */
static bool came_after_a_cut(struct output_file *file, int64_t end, DWORD size)
{
    int64_t start = end - (int64_t)size;
    if (file->path == NULL || start < 0 || start >= file->end || output_size_of(file) != end ||
        !shared_file_set_size(file->handle, (uint64_t)start))
        return false;
    const LARGE_INTEGER next = {.QuadPart = file->end};
    SetFilePointerEx(file->handle, next, NULL, FILE_BEGIN);
    return true;
}

static void note_written(struct output_file *file, int64_t end, DWORD size)
{
    if (end - (int64_t)size != file->end)
        file->unmixed = 0;
    file->unmixed += size;
    file->end = end;
}

static enum write_result fails(DWORD number, struct error *error)
{
    if (stream_failure_is_end(number))
        return WRITE_CLOSED;
    error_set(error, EXIT_CODE_IO, "cannot write: %s", system_error(number).text);
    return WRITE_FAILED;
}

static enum write_result write_regular(struct output_file *file, const void *bytes, size_t size,
                                       size_t *written, struct error *error)
{
    DWORD most = size < 0x40000000 ? (DWORD)size : 0x40000000;
    DWORD done = 0;
    if (file->handle == INVALID_HANDLE_VALUE) {
        error_set(error, EXIT_CODE_IO, "cannot write: the file was removed");
        return WRITE_FAILED;
    }
    bool accepted = file->path != NULL ? shared_file_append(file->handle, bytes, most, &done)
                                       : WriteFile(file->handle, bytes, most, &done, NULL) != 0;
    if (!accepted)
        return fails(GetLastError(), error);
    if (done == 0) {
        error_set(error, EXIT_CODE_IO, "cannot write: the system accepted no byte");
        return WRITE_FAILED;
    }
    int64_t end = position(file);
    if (came_after_a_cut(file, end, done)) {
        error_set(error, EXIT_CODE_IO, "cannot write: the file was emptied or cut from outside");
        return WRITE_FAILED;
    }
    note_written(file, end, done);
    *written = done;
    return WRITE_OK;
}

static enum write_result write_by_thread(struct output_file *file, const void *bytes, size_t size,
                                         size_t *written, struct error *error)
{
    struct stream_thread *thread = file->thread;
    DWORD wait_ms = 0;
    if (!stream_thread_is_used(thread)) {
        if (!stream_thread_wait(thread, 0))
            return WRITE_WOULD_BLOCK; /* a cancelled write is still running */
        stream_thread_begin(thread, bytes, size);
        wait_ms = QUICK_MS;
    }
    if (!stream_thread_wait(thread, wait_ms))
        return WRITE_WOULD_BLOCK;
    struct stream_outcome outcome = stream_thread_take(thread);
    if (outcome.accepted == 0)
        return fails(outcome.failure, error);
    file->begun = true;
    *written = outcome.accepted;
    return WRITE_OK;
}

enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    return is_regular(file) ? write_regular(file, bytes, size, written, error)
                            : write_by_thread(file, bytes, size, written, error);
}

size_t output_file_cancel(struct output_file *file)
{
    if (is_regular(file) || !stream_thread_is_used(file->thread))
        return 0;
    return stream_thread_cancel(file->thread);
}

wait_handle output_file_handle(const struct output_file *file)
{
    return is_regular(file) ? NO_HANDLE : wait_source_handle(stream_thread_source(file->thread));
}

bool output_file_roll_back(struct output_file *file, size_t size)
{
    if (!is_regular(file))
        return false;
    if (file->handle == INVALID_HANDLE_VALUE)
        return true; /* the bytes are gone with the file */
    int64_t has = output_size_of(file);
    if (size > file->unmixed || has < 0 || has > file->end || position(file) != file->end)
        return false;
    file->end -= (int64_t)size;
    file->unmixed -= size;
    if (has > file->end && !shared_file_set_size(file->handle, (uint64_t)file->end)) {
        file->end += (int64_t)size;
        file->unmixed += size;
        return false;
    }
    /*
     * Without this the next write to standard output could leave a hole, because it is not always
     * opened for appending.
     */
    LARGE_INTEGER next = {.QuadPart = has < file->end ? has : file->end};
    SetFilePointerEx(file->handle, next, NULL, FILE_BEGIN);
    return true;
}

/* --- facts about the file --------------------------------------------------------------------- */

bool output_file_at_beginning(const struct output_file *file)
{
    return is_regular(file) ? output_size_of(file) == 0 : !file->begun;
}

/* The handle of a redirected standard output may have no right to read. */
bool output_file_is_in_line(const struct output_file *file)
{
    (void)file;
    return false;
}

bool output_file_is_regular(const struct output_file *file)
{
    return is_regular(file);
}

bool output_file_sync(struct output_file *file, struct error *error)
{
    if (!is_regular(file) || file->handle == INVALID_HANDLE_VALUE || FlushFileBuffers(file->handle))
        return true;
    error_set(error, EXIT_CODE_IO, "cannot write to the disk: %s",
              system_error(GetLastError()).text);
    return false;
}

uint64_t output_file_size(const struct output_file *file)
{
    int64_t size = is_regular(file) ? output_size_of(file) : 0;
    return size > 0 ? (uint64_t)size : 0;
}

bool output_file_is_terminal(const struct output_file *file)
{
    return file->terminal;
}

bool output_file_is_removed(const struct output_file *file)
{
    FILE_STANDARD_INFO found;
    if (!is_regular(file))
        return false;
    if (file->handle == INVALID_HANDLE_VALUE)
        return true;
    return GetFileInformationByHandleEx(file->handle, FileStandardInfo, &found, sizeof found) &&
           (found.DeletePending || found.NumberOfLinks == 0);
}

/*
 * Closes a removed file if the system still reserves its name: then every open of that name is
 * refused.
 */
bool output_file_let_name_go(struct output_file *file)
{
    if (file->handle == INVALID_HANDLE_VALUE || file->path == NULL ||
        !output_file_is_removed(file) || !shared_file_is_refused(file->path))
        return false;
    CloseHandle(file->handle);
    file->handle = INVALID_HANDLE_VALUE;
    return true;
}

bool output_file_is_cut(const struct output_file *file)
{
    if (!is_regular(file) || file->handle == INVALID_HANDLE_VALUE)
        return false;
    int64_t size = output_size_of(file);
    return size >= 0 && size < file->end;
}

/*
 * A path that cannot be opened counts as another file's: the system refuses the name of a removed
 * file until every program has closed it.
 */
enum output_file_state output_file_look(const struct output_file *file, const char *path,
                                        struct error *error)
{
    (void)error;
    struct file_identity named;
    if (!is_regular(file)) /* pipes and devices are identified only by their paths */
        return file->path != NULL && strcmp(file->path, path) == 0 ? OUTPUT_FILE_IN_PLACE
                                                                   : OUTPUT_FILE_MOVED;
    /* The file's own path is checked repeatedly, so this must not allocate memory for it. */
    bool own = file->path != NULL && strcmp(file->path, path) == 0;
    HANDLE handle = own ? shared_file_open_made(file->made_path, FILE_READ_ATTRIBUTES)
                        : shared_file_open(path, FILE_READ_ATTRIBUTES, false);
    if (handle == INVALID_HANDLE_VALUE)
        return OUTPUT_FILE_MOVED;
    bool found = file->handle != INVALID_HANDLE_VALUE && shared_file_identify(handle, &named) &&
                 shared_file_is_same(&named, &file->identity);
    CloseHandle(handle);
    if (!found)
        return OUTPUT_FILE_MOVED;
    return named.size < file->end ? OUTPUT_FILE_CUT : OUTPUT_FILE_IN_PLACE;
}

/*
 * Closes the file and opens it again, because its end can be cut off only while no process has it
 * open for writing.
 */
int output_file_mend(struct output_file *file, const char *path,
                     const struct output_file_format *format, struct output_file_start *start,
                     struct error *error)
{
    struct system_error failure;
    CloseHandle(file->handle);
    const char *why = torn_line_mend(path, &file->identity, format, start, &failure);
    if (why != NULL)
        torn_end_not_mended(path, format, why, error);
    file->handle = open_to_append(path);
    if (file->handle == INVALID_HANDLE_VALUE)
        return not_opened(path, error);
    file->end = output_size_of(file);
    file->unmixed = 0;
    return why == NULL ? 0 : -1;
}

void output_file_close(struct output_file *file)
{
    if (file == NULL)
        return;
    if (is_regular(file) && file->path != NULL && file->handle != INVALID_HANDLE_VALUE)
        CloseHandle(file->handle);
    stream_thread_destroy(file->thread);
    release(file);
}
