#include "tests/support/platform/standard_stream.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- files and pipes -------------------------------------------------------------------------- */

void test_stream_close(test_stream *handle)
{
    if (*handle != NO_STREAM)
        assert_int_equal(close((int)*handle), 0);
    *handle = NO_STREAM;
}

static test_stream open_file(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    assert_in_range(fd, 0, 1000);
    return fd;
}

test_stream test_stream_open(const char *path)
{
    return open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
}

test_stream test_stream_open_to_append(const char *path)
{
    return open_file(path, O_WRONLY | O_APPEND);
}

test_stream test_stream_open_to_read(const char *path)
{
    return open_file(path, O_RDONLY);
}

void test_stream_write(test_stream handle, const void *bytes, size_t size)
{
    assert_int_equal(write((int)handle, bytes, size), size);
}

size_t test_stream_read(test_stream handle, void *bytes, size_t size)
{
    ssize_t got = read((int)handle, bytes, size);
    assert_true(got >= 0);
    return (size_t)got;
}

void test_stream_seek(test_stream handle, uint64_t offset)
{
    assert_int_equal(lseek((int)handle, (off_t)offset, SEEK_SET), (off_t)offset);
}

struct test_pipe test_pipe_open(void)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN); /* the collector ignores SIGPIPE, too */
    assert_int_equal(pipe(ends), 0);
    return (struct test_pipe){.reader = ends[0], .writer = ends[1]};
}

size_t test_pipe_fill(const struct test_pipe *pipe)
{
    int writer = (int)pipe->writer;
    size_t filled = 0;
    assert_int_equal(fcntl(writer, F_SETFL, O_NONBLOCK), 0);
    while (write(writer, "x", 1) == 1)
        filled++;
    assert_int_equal(fcntl(writer, F_SETFL, 0), 0);
    return filled;
}

void test_pipe_close(struct test_pipe *pipe)
{
    test_stream_close(&pipe->reader);
    test_stream_close(&pipe->writer);
}

/* --- standard output and standard error ------------------------------------------------------- */

static const int numbers[] = {[STREAM_OUTPUT] = STDOUT_FILENO, [STREAM_ERROR] = STDERR_FILENO};
static int aside[] = {[STREAM_OUTPUT] = -1, [STREAM_ERROR] = -1};
static FILE *taken[2];

void standard_stream_lead(enum standard_stream stream, test_stream handle)
{
    int number = numbers[stream];
    fflush(NULL);
    if (aside[stream] < 0)
        aside[stream] = dup(number);
    assert_true(aside[stream] >= 0);
    if (handle == NO_STREAM)
        close(number);
    else
        assert_int_equal(dup2((int)handle, number), number);
}

void standard_stream_lead_back(enum standard_stream stream)
{
    if (aside[stream] < 0)
        return;
    fflush(NULL);
    assert_int_equal(dup2(aside[stream], numbers[stream]), numbers[stream]);
    close(aside[stream]);
    aside[stream] = -1;
}

void standard_stream_take(enum standard_stream stream)
{
    taken[stream] = tmpfile();
    assert_non_null(taken[stream]);
    standard_stream_lead(stream, fileno(taken[stream]));
}

char *standard_stream_end_taking(enum standard_stream stream)
{
    FILE *file = taken[stream];
    standard_stream_lead_back(stream);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}
