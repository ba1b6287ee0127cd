#include "collector/platform/windows/torn_line.h"

#include "collector/platform/common/torn_end.h"

struct mended {
    const char *path;
    const struct file_identity *identity;
    HANDLE reader;
    struct system_error *failure;
};

static const char *why(struct mended *mended)
{
    *mended->failure = system_error(GetLastError());
    return mended->failure->text;
}

/*
 * Returns true if the handle is of the file to be repaired. Another file may have its name by now.
 */
static bool is_it(const struct mended *mended, HANDLE file)
{
    struct file_identity found;
    return shared_file_identify(file, &found) && shared_file_is_same(&found, mended->identity);
}

static const char *torn_size_of(void *context, uint64_t *size)
{
    struct mended *mended = context;
    LARGE_INTEGER found;
    if (!GetFileSizeEx(mended->reader, &found))
        return why(mended);
    *size = (uint64_t)found.QuadPart;
    return NULL;
}

static const char *read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct mended *mended = context;
    OVERLAPPED from = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD got = 0;
    if (!ReadFile(mended->reader, bytes, (DWORD)size, &got, &from) &&
        GetLastError() != ERROR_HANDLE_EOF)
        return why(mended);
    return got == size ? NULL : torn_file_changes;
}

/* Cuts the file only if no other process has it open for writing. */
static bool torn_cut(void *context, uint64_t size, uint64_t kept)
{
    struct mended *mended = context;
    LARGE_INTEGER found;
    HANDLE file = shared_file_open_alone(mended->path, GENERIC_READ | GENERIC_WRITE);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool done = is_it(mended, file) && GetFileSizeEx(file, &found) &&
                (uint64_t)found.QuadPart == size && shared_file_set_size(file, kept);
    CloseHandle(file);
    return done;
}

static const char *torn_end_line(void *context)
{
    struct mended *mended = context;
    DWORD written;
    HANDLE file = shared_file_open(mended->path, GENERIC_WRITE, false);
    if (file == INVALID_HANDLE_VALUE)
        return why(mended);
    const char *result =
        !is_it(mended, file) || shared_file_append(file, "\n", 1, &written) ? NULL : why(mended);
    CloseHandle(file);
    return result;
}

static const struct torn_file_ops ops = {
    .size = torn_size_of,
    .read = read_at,
    .cut = torn_cut,
    .end_line = torn_end_line,
};

/*
 * Returns true if no other process has the file open for writing. Waits for a predecessor that is
 * ending.
 */
static bool is_alone(const char *path)
{
    for (unsigned waited_ms = 0;; waited_ms += TORN_END_PAUSE_MS) {
        HANDLE file = shared_file_open_alone(path, GENERIC_READ);
        if (file != INVALID_HANDLE_VALUE) {
            CloseHandle(file);
            return true;
        }
        if (GetLastError() != ERROR_SHARING_VIOLATION || !torn_end_is_patient(waited_ms))
            return false;
        Sleep(TORN_END_PAUSE_MS);
    }
}

const char *torn_line_mend(const char *path, const struct file_identity *identity,
                           const struct output_file_format *format, struct output_file_start *start,
                           struct system_error *failure)
{
    struct mended mended = {.path = path, .identity = identity, .failure = failure};
    const char *result = NULL;
    bool alone = is_alone(path);
    mended.reader = shared_file_open(path, GENERIC_READ, false);
    if (mended.reader == INVALID_HANDLE_VALUE)
        return NULL;
    if (is_it(&mended, mended.reader))
        result = torn_end_mend(&ops, &mended, alone, format, start);
    CloseHandle(mended.reader);
    return result;
}

const char *torn_line_judge(const char *path, const struct output_file_format *format,
                            struct output_file_start *start, struct system_error *failure)
{
    struct mended mended = {.path = path, .failure = failure};
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    mended.reader = shared_file_open(path, GENERIC_READ, false);
    if (mended.reader == INVALID_HANDLE_VALUE)
        return NULL;
    const char *result = GetFileType(mended.reader) == FILE_TYPE_DISK
                             ? torn_end_judge(&ops, &mended, format, start)
                             : NULL;
    CloseHandle(mended.reader);
    return result;
}
