#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/input_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct input_file *open_path(const char *path, bool live)
{
    struct input_file *file = NULL;
    struct error error = {.text = ""};
    bool looks_live = !live;
    if (input_file_look(path, &looks_live, &error) != 0 ||
        input_file_open(path, &file, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(looks_live, live);
    assert_int_equal(input_file_is_live(file), live);
    return file;
}

static struct input_file *open_fifo(void)
{
    assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
    return open_path(scratch_path("fifo"), true);
}

static int open_writer(void)
{
    int writer = open(scratch_path("fifo"), O_WRONLY | O_NONBLOCK);
    assert_true(writer >= 0);
    return writer;
}

static void write_text(int writer, const char *text)
{
    assert_int_equal(write(writer, text, strlen(text)), strlen(text));
}

static void assert_reads(struct input_file *file, enum input_result expected)
{
    char bytes[16];
    size_t got = 0;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), expected);
}

static void assert_reads_text(struct input_file *file, const char *text)
{
    char bytes[16];
    size_t got = 0;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), INPUT_BYTES);
    assert_int_equal(got, strlen(text));
    assert_memory_equal(bytes, text, got);
}

/* /proc/self/mem opens, but its byte 0 cannot be read, because address 0 is not mapped. */
TEST_WITH(a_failure_gives_the_reason, scratch_make, scratch_remove)
{
    (void)state;
    struct input_file *file = open_path("/proc/self/mem", false);
    char bytes[16];
    size_t got;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), INPUT_FAILED);
    assert_string_equal(error.text, strerror(EIO));
    assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
    input_file_close(file);
}

TEST_WITH(a_fifo_ends_when_its_last_writer_has_gone, scratch_make, scratch_remove)
{
    (void)state;
    struct input_file *file = open_fifo();
    int first = open_writer();
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text(first, "one");
    input_file_wait(file);
    assert_reads_text(file, "one");
    assert_reads(file, INPUT_WOULD_WAIT);
    int second = open_writer();
    close(first);
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text(second, "two");
    close(second);
    input_file_wait(file);
    assert_reads_text(file, "two");
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

/*
 * Another process may use the same open pipe, as with standard input. So its flags must not change.
 */
TEST_WITH(an_inherited_pipe_stays_as_it_is_for_its_other_owners, scratch_make, scratch_remove)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    int before = fcntl(ends[0], F_GETFL);
    struct input_file *file = open_path(path, true);
    assert_reads(file, INPUT_WOULD_WAIT);
    assert_int_equal(fcntl(ends[0], F_GETFL), before);
    write_text(ends[1], "piped");
    assert_reads_text(file, "piped");
    close(ends[1]);
    assert_reads(file, INPUT_END);
    close(ends[0]);
    input_file_close(file);
}
