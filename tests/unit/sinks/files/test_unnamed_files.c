/*
 * Tests files that rotate while each rename fails: the sink continues with the next name, no record
 * is lost, and the next start renames the files. The linker replaces renameat2.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination_files.h"
#include "collector/ledger/ledger.h"
#include "sinks/destinations/destinations.h"
#include "sinks/encoders/encoders.h"
#include "sinks/files/path_template.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

#define BLOCK_SIZE ((size_t)4000)

/* The maximum number of open files that wait for their names. */
enum { MOST_WAITING = 16 };

static bool renames_fail;

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    errno = EIO;
    return renames_fail ? -1 : __real_renameat2(from_folder, from, to_folder, to, flags);
}

/* --- a sink ----------------------------------------------------------------------------------- */

static struct sink_counters counters;
static struct destination *sink;

/*
 * Opens a sink whose files are full after one block of JSON. A file of OpenMetrics always has one
 * block.
 */
static void open_sink(const struct encoder_ops *encoder)
{
    static char path[PATH_TEMPLATE_SIZE];
    static const struct sink_counters none;
    struct error error;
    counters = none;
    snprintf(path, sizeof path, "%s", scratch_path("a.n"));
    static struct sink_settings settings;
    settings = (struct sink_settings){
        .file = {.rotate_size = encoder->arrange != NULL ? 0 : BLOCK_SIZE + ENCODER_HEAD_SIZE},
        .encoder = encoder,
    };
    const struct destination_options options = {
        .name = "file:a.n", .path = path, .settings = &settings, .counters = &counters};
    if (destination_file.create(&options, &sink, &error) != 0)
        fail_msg("%s", error.text);
}

static void close_sink(void)
{
    sink->file_set->finish(sink);
    sink->destroy(sink);
}

static const char *block_of(const struct encoder_ops *encoder, unsigned number)
{
    static char block[BLOCK_SIZE + 1];
    const char *end = encoder->arrange != NULL ? " 1\n# EOF\n" : "\":1}\n";
    const char *begin = encoder->arrange != NULL ? "# TYPE n gauge\nn" : "{\"n";
    int size = snprintf(block, sizeof block, "%s%u", begin, number);
    memset(block + size, 'x', BLOCK_SIZE - (size_t)size);
    memcpy(block + BLOCK_SIZE - strlen(end), end, strlen(end) + 1);
    return block;
}

static void write_block(const struct encoder_ops *encoder, unsigned number)
{
    struct error error;
    if (sink->file_set->write(sink, 0, block_of(encoder, number), BLOCK_SIZE, &error) != WRITE_OK)
        fail_msg("%s", error.text);
}

static void assert_block(const struct encoder_ops *encoder, const char *suffix, unsigned number)
{
    char name[20];
    if (number == 0)
        snprintf(name, sizeof name, "a.n%s", suffix);
    else
        snprintf(name, sizeof name, "a.%u.n%s", number, suffix);
    scratch_assert_holds_text(name, block_of(encoder, number));
}

static void assert_counted(uint64_t blocked, uint64_t unnamed, uint64_t files)
{
    assert_int_equal(counter_read(&counters.renames_blocked), blocked);
    assert_int_equal(counter_read(&counters.unnamed_files), unnamed);
    assert_int_equal(counter_read(&counters.files), files);
}

/* --- the tests -------------------------------------------------------------------------------- */

static int teardown(void **state)
{
    renames_fail = false;
    return scratch_remove(state);
}

TEST_WITH(the_next_names_are_used_and_the_next_start_renames_all, scratch_make, teardown)
{
    (void)state;
    open_sink(file_set_lines());
    renames_fail = true;
    for (unsigned i = 0; i < 10; i++)
        write_block(file_set_lines(), i);
    for (unsigned i = 0; i < 10; i++)
        assert_block(file_set_lines(), ".part", i);
    close_sink();
    assert_counted(10, 10, 0);
    assert_int_equal(scratch_count(""), 10);
    renames_fail = false;
    open_sink(file_set_lines());
    close_sink();
    for (unsigned i = 0; i < 10; i++)
        assert_block(file_set_lines(), "", i);
    assert_int_equal(scratch_count(""), 10);
    assert_counted(0, 0, 0);
}

TEST_WITH(a_file_gets_its_name_when_renaming_works_again, scratch_make, teardown)
{
    (void)state;
    open_sink(file_set_lines());
    renames_fail = true;
    for (unsigned i = 0; i < 3; i++)
        write_block(file_set_lines(), i);
    renames_fail = false;
    close_sink();
    for (unsigned i = 0; i < 3; i++)
        assert_block(file_set_lines(), "", i);
    assert_counted(2, 0, 3);
    assert_int_equal(scratch_count(""), 3);
}

TEST_WITH(where_too_many_wait_the_last_takes_more, scratch_make, teardown)
{
    (void)state;
    open_sink(file_set_lines());
    renames_fail = true;
    for (unsigned i = 0; i < 2 * MOST_WAITING; i++)
        write_block(file_set_lines(), i);
    assert_int_equal(scratch_count(""), MOST_WAITING + 1);
    assert_block(file_set_lines(), ".part", MOST_WAITING - 1);
    close_sink();
    assert_counted(MOST_WAITING, MOST_WAITING + 1, 0);
}

TEST_WITH(where_each_block_is_a_file_more_are_passed_by, scratch_make, teardown)
{
    (void)state;
    const unsigned count = 2 * MOST_WAITING;
    open_sink(&encoder_openmetrics);
    renames_fail = true;
    for (unsigned i = 0; i < count; i++)
        write_block(&encoder_openmetrics, i);
    for (unsigned i = 0; i < count; i++)
        assert_block(&encoder_openmetrics, ".part", i);
    close_sink();
    assert_counted(MOST_WAITING, count, 0);
    renames_fail = false;
    open_sink(&encoder_openmetrics);
    close_sink();
    for (unsigned i = 0; i < count; i++)
        assert_block(&encoder_openmetrics, "", i);
    assert_int_equal(scratch_count(""), count);
}

/* The previous run completed the file, but it cannot be renamed. The sink starts anyway. */
TEST_WITH(a_left_file_that_cannot_be_renamed_keeps_no_start_from_going_on, scratch_make, teardown)
{
    (void)state;
    scratch_put_text("a.n.part", "{}\n");
    renames_fail = true;
    open_sink(file_set_lines());
    write_block(file_set_lines(), 1);
    assert_block(file_set_lines(), ".part", 1);
    renames_fail = false;
    close_sink();
    scratch_assert_holds_text("a.n", "{}\n");
    assert_block(file_set_lines(), "", 1);
    assert_counted(1, 0, 2);
}
