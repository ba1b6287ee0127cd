/*
 * Redirects only the system's handles, which the program uses. The C library's streams are
 * unchanged: the test reports its results to them.
 */
#include "tests/support/platform/standard_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"
#include "tests/support/test.h"

/* Default capacity of a pipe, in bytes. */
#define PIPE_ROOM 4096

/* --- files and pipes -------------------------------------------------------------------------- */

static HANDLE of(test_stream handle)
{
    return (HANDLE)handle;
}

void test_stream_close(test_stream *handle)
{
    if (*handle != NO_STREAM)
        assert_true(CloseHandle(of(*handle)));
    *handle = NO_STREAM;
}

static test_stream open_file(const char *path, DWORD access, DWORD disposition, DWORD attributes)
{
    wchar_t wide[1024];
    assert_true(text_to_wide(path, wide, 1024));
    HANDLE file = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, disposition, attributes, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    return (test_stream)file;
}

test_stream test_stream_open(const char *path)
{
    return open_file(path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
}

test_stream test_stream_open_to_append(const char *path)
{
    return open_file(path, FILE_APPEND_DATA, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}

test_stream test_stream_open_to_read(const char *path)
{
    return open_file(path, GENERIC_READ, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}

void test_stream_write(test_stream handle, const void *bytes, size_t size)
{
    DWORD written;
    assert_true(WriteFile(of(handle), bytes, (DWORD)size, &written, NULL));
    assert_int_equal(written, size);
}

size_t test_stream_read(test_stream handle, void *bytes, size_t size)
{
    DWORD got = 0;
    if (!ReadFile(of(handle), bytes, (DWORD)size, &got, NULL))
        /* The read fails in this way at the end, when the other end of the pipe is closed. */
        assert_int_equal(GetLastError(), ERROR_BROKEN_PIPE);
    return got;
}

void test_stream_seek(test_stream handle, uint64_t offset)
{
    const LARGE_INTEGER to = {.QuadPart = (LONGLONG)offset};
    assert_true(SetFilePointerEx(of(handle), to, NULL, FILE_BEGIN));
}

struct test_pipe test_pipe_open(void)
{
    HANDLE reader;
    HANDLE writer;
    assert_true(CreatePipe(&reader, &writer, NULL, PIPE_ROOM));
    return (struct test_pipe){.reader = (test_stream)reader, .writer = (test_stream)writer};
}

/* Fills the pipe, so that the next write would block. Returns the number of bytes. */
size_t test_pipe_fill(const struct test_pipe *pipe)
{
    char bytes[PIPE_ROOM];
    memset(bytes, 'x', sizeof bytes);
    test_stream_write(pipe->writer, bytes, sizeof bytes);
    return sizeof bytes;
}

void test_pipe_close(struct test_pipe *pipe)
{
    test_stream_close(&pipe->reader);
    test_stream_close(&pipe->writer);
}

/* --- standard output and standard error ------------------------------------------------------- */

static const DWORD numbers[] = {
    [STREAM_OUTPUT] = STD_OUTPUT_HANDLE,
    [STREAM_ERROR] = STD_ERROR_HANDLE,
};
static HANDLE aside[2];
static bool is_aside[2];
static test_stream taken[2];

void standard_stream_lead(enum standard_stream stream, test_stream handle)
{
    if (!is_aside[stream])
        aside[stream] = GetStdHandle(numbers[stream]);
    is_aside[stream] = true;
    assert_true(SetStdHandle(numbers[stream], handle == NO_STREAM ? NULL : of(handle)));
}

void standard_stream_lead_back(enum standard_stream stream)
{
    if (is_aside[stream])
        assert_true(SetStdHandle(numbers[stream], aside[stream]));
    is_aside[stream] = false;
}

void standard_stream_take(enum standard_stream stream)
{
    wchar_t folder[MAX_PATH + 2];
    wchar_t name[MAX_PATH + 2];
    char path[3 * MAX_PATH];
    assert_true(GetTempPathW(MAX_PATH + 2, folder) != 0);
    assert_true(GetTempFileNameW(folder, L"slu", 0, name) != 0);
    assert_true(text_from_wide(name, path, sizeof path));
    taken[stream] = open_file(path, GENERIC_READ | GENERIC_WRITE | DELETE, OPEN_EXISTING,
                              FILE_FLAG_DELETE_ON_CLOSE);
    standard_stream_lead(stream, taken[stream]);
}

char *standard_stream_end_taking(enum standard_stream stream)
{
    LARGE_INTEGER size;
    const LARGE_INTEGER start = {0};
    HANDLE file = of(taken[stream]);
    DWORD got = 0;
    standard_stream_lead_back(stream);
    assert_true(GetFileSizeEx(file, &size));
    assert_true(SetFilePointerEx(file, start, NULL, FILE_BEGIN));
    char *text = calloc(1, (size_t)size.QuadPart + 1);
    assert_non_null(text);
    assert_true(ReadFile(file, text, (DWORD)size.QuadPart, &got, NULL));
    assert_int_equal(got, size.QuadPart);
    test_stream_close(&taken[stream]);
    return text;
}
