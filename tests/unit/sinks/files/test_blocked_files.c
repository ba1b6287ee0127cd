/*
 * Tests files of a sink that other programs hold open, so that they cannot be renamed. No record is
 * lost or written twice, and each file gets its name later.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination_files.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/destinations.h"
#include "sinks/files/live_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

static struct error error;

/* --- part files ------------------------------------------------------------------------------- */

static struct part_file *open_part(const char *name, const char *text)
{
    struct part_file *file;
    if (part_file_open_new(scratch_path(name), strlen(scratch_path("")), 0, &file, &error) !=
            PART_DONE ||
        !part_file_append(file, text, strlen(text), &error))
        fail_msg("%s", error.text);
    return file;
}

static enum part_result try_left(const char *name)
{
    struct part_file *file;
    enum part_result result = part_file_open_left(scratch_path(name), &file, &error);
    if (result == PART_DONE)
        part_file_close(file);
    return result;
}

TEST_WITH(a_part_that_is_read_so_cannot_be_renamed_and_goes_on, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_part("a.part", "one\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    error.text[0] = '\0';
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_BUSY);
    assert_non_null(strstr(error.text, "cannot rename it to "));
    assert_true(part_file_is_there(file));
    assert_int_equal(try_left("a.part"), PART_LOCKED);
    assert_true(part_file_append(file, "two\n", 4, &error));
    others_close(reader);
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_DONE);
    scratch_assert_holds_text("a", "one\ntwo\n");
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(a_part_whose_reader_shares_no_writing_cannot_be_opened, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a.part", "one\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_READING);
    error.text[0] = '\0';
    assert_int_equal(try_left("a.part"), PART_BUSY);
    assert_non_null(strstr(error.text, "cannot open "));
    others_close(reader);
    assert_int_equal(try_left("a.part"), PART_DONE);
}

TEST_WITH(a_part_that_is_read_so_cannot_be_removed, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_part("a.part", "one\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    assert_false(part_file_remove(file, &error));
    assert_non_null(strstr(error.text, "cannot remove it: "));
    others_close(reader);
    scratch_assert_holds_text("a.part", "one\n");
    assert_int_equal(part_file_open_left(scratch_path("a.part"), &file, &error), PART_DONE);
    assert_true(part_file_remove(file, &error));
    assert_int_equal(scratch_count(""), 0);
}

/* --- the files of a sink ---------------------------------------------------------------------- */

struct bench {
    struct path_template *path;
    struct counter files;
    struct file_makings makings;
    struct live_file file;
};

static struct bench *make(uint64_t keep)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->path = file_set_template("a");
    bench->makings = (struct file_makings){
        .content = {.name = "test", .encoder = file_set_lines()},
        .finished = file_set_finished_files(bench->path, keep),
        .path = bench->path,
        .files = &bench->files,
    };
    snprintf(bench->file.path, sizeof bench->file.path, "%s", scratch_path("a"));
    return bench;
}

static void end(struct bench *bench)
{
    live_file_abandon(&bench->file);
    finished_files_destroy(bench->makings.finished);
    path_template_free(bench->path);
    free(bench);
}

static void put(struct bench *bench, const char *text)
{
    if (!live_file_open(&bench->makings, &bench->file, &error) ||
        !live_file_append(&bench->file, text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static void complete(struct bench *bench)
{
    if (!live_file_complete(&bench->makings, &bench->file, &error))
        fail_msg("%s", error.text);
    assert_false(live_file_is_begun(&bench->file));
}

static void retry(struct bench *bench, size_t expected, bool waiting)
{
    assert_int_equal(finished_files_retry(bench->makings.finished), expected);
    assert_int_equal(finished_files_are_waiting(bench->makings.finished), waiting);
}

static void assert_blocked(uint64_t expected)
{
    assert_int_equal(counter_read(&file_set_blocked), expected);
}

TEST_WITH(a_file_that_cannot_get_its_name_waits_and_the_next_has_another, scratch_make,
          scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "1\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    complete(bench);
    assert_blocked(1);
    /* The file is still locked, so a next start cannot complete it. */
    assert_int_equal(try_left("a.part"), PART_LOCKED);
    put(bench, "2\n");
    scratch_assert_holds_text("a.1.part", "2\n");
    retry(bench, 0, true);
    retry(bench, 0, true);
    others_close(reader);
    retry(bench, 1, false);
    scratch_assert_holds_text("a", "1\n");
    put(bench, "3\n"); /* continues the file that was begun */
    complete(bench);
    scratch_assert_holds_text("a.1", "2\n3\n");
    put(bench, "4\n");
    scratch_assert_holds_text("a.part", "4\n");
    assert_blocked(1);
    assert_int_equal(scratch_count(""), 3);
    end(bench);
}

TEST_WITH(the_name_of_one_that_waits_is_kept_for_it, scratch_make, scratch_remove)
{
    (void)state;
    struct others_reader *readers[3];
    struct bench *bench = make(0);
    scratch_put_text("a", "old\n");
    for (unsigned i = 0; i < 3; i++) {
        char text[8], name[20];
        snprintf(text, sizeof text, "%u\n", i + 1);
        snprintf(name, sizeof name, i == 0 ? "a.part" : "a.%u.part", i);
        put(bench, text);
        readers[i] = others_read(name, OTHERS_SHARE_WRITING);
        complete(bench);
    }
    put(bench, "4\n");
    complete(bench);
    scratch_assert_holds_text("a.4", "4\n");
    others_close(readers[1]);
    retry(bench, 1, true);
    scratch_assert_holds_text("a.2", "2\n");
    others_close(readers[0]);
    others_close(readers[2]);
    retry(bench, 2, false);
    scratch_assert_holds_text("a.1", "1\n");
    scratch_assert_holds_text("a.3", "3\n");
    assert_blocked(3);
    assert_int_equal(scratch_count(""), 5);
    end(bench);
}

TEST_WITH(a_name_that_another_program_took_meanwhile_is_not_waited_for, scratch_make,
          scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "1\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    complete(bench);
    scratch_put_text("a", "another's\n");
    others_close(reader);
    retry(bench, 1, false);
    scratch_assert_holds_text("a", "another's\n");
    scratch_assert_holds_text("a.1", "1\n");
    end(bench);
}

TEST_WITH(one_that_is_moved_away_while_it_waits_is_let_go, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "1\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    complete(bench);
    others_close(reader);
    others_move("a.part", "moved");
    retry(bench, 0, false);
    put(bench, "2\n");
    complete(bench);
    scratch_assert_holds_text("moved", "1\n");
    scratch_assert_holds_text("a", "2\n");
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

TEST_WITH(what_still_waits_at_the_end_is_completed_by_the_next_start, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "{\"n\":1}\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    complete(bench);
    put(bench, "{\"n\":2}\n");
    complete(bench);
    scratch_assert_holds_text("a.1", "{\"n\":2}\n");
    put(bench, "{\"n\":3}\n");
    end(bench);
    scratch_assert_holds_text("a.part", "{\"n\":1}\n");
    others_close(reader);
    bench = make(0);
    left_files_finish(&bench->makings.content, bench->path, bench->makings.finished);
    scratch_assert_holds_text("a", "{\"n\":1}\n");
    scratch_assert_holds_text("a.2", "{\"n\":3}\n");
    assert_int_equal(scratch_count(""), 3);
    assert_blocked(0);
    end(bench);
}

TEST_WITH(a_left_one_waits_too_and_is_in_nobodys_way, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    scratch_put_text("a.part", "{\"n\":1}\n{");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    left_files_finish(&bench->makings.content, bench->path, bench->makings.finished);
    assert_blocked(1);
    put(bench, "{\"n\":2}\n");
    scratch_assert_holds_text("a.1.part", "{\"n\":2}\n");
    others_close(reader);
    retry(bench, 1, false);
    scratch_assert_holds_text("a", "{\"n\":1}\n");
    end(bench);
}

TEST_WITH(a_left_one_that_is_met_when_its_name_is_wanted_waits, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    scratch_put_text("a.part", "{\"n\":1}\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    put(bench, "{\"n\":2}\n");
    scratch_assert_holds_text("a.1.part", "{\"n\":2}\n");
    complete(bench);
    scratch_assert_holds_text("a.1", "{\"n\":2}\n");
    others_close(reader);
    retry(bench, 1, false);
    scratch_assert_holds_text("a", "{\"n\":1}\n");
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

TEST_WITH(one_that_nobody_may_write_is_passed_by, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    scratch_put_text("a.part", "{\"n\":1}\n");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_READING);
    left_files_finish(&bench->makings.content, bench->path, bench->makings.finished);
    put(bench, "{\"n\":2}\n");
    scratch_assert_holds_text("a.part", "{\"n\":1}\n");
    scratch_assert_holds_text("a.1.part", "{\"n\":2}\n");
    others_close(reader);
    complete(bench);
    put(bench, "{\"n\":3}\n"); /* completes the previous file first */
    scratch_assert_holds_text("a", "{\"n\":2}\n");
    scratch_assert_holds_text("a.1", "{\"n\":1}\n");
    scratch_assert_holds_text("a.part", "{\"n\":3}\n");
    end(bench);
}

TEST_WITH(one_that_was_put_aside_and_may_not_be_written_is_complete, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "1\n");
    live_file_put_aside(&bench->file);
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_READING);
    assert_true(live_file_sync(&bench->makings, &bench->file, &error));
    put(bench, "2\n");
    scratch_assert_holds_text("a.1.part", "2\n");
    assert_blocked(1);
    live_file_put_aside(&bench->file);
    struct others_reader *second = others_read("a.1.part", OTHERS_SHARE_READING);
    complete(bench);
    assert_blocked(2);
    retry(bench, 0, true);
    others_close(reader);
    others_close(second);
    retry(bench, 2, false);
    scratch_assert_holds_text("a", "1\n");
    scratch_assert_holds_text("a.1", "2\n");
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

/* The file has no records and cannot be removed now. It must not count as finished. */
TEST_WITH(an_empty_one_that_is_read_is_passed_by, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(0);
    put(bench, "");
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    complete(bench);
    put(bench, "1\n");
    scratch_assert_holds_text("a.part", "");
    scratch_assert_holds_text("a.1.part", "1\n");
    others_close(reader);
    complete(bench);
    put(bench, "2\n");
    scratch_assert_holds_text("a", "1\n");
    scratch_assert_holds_text("a.part", "2\n");
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

enum { MOST_WAITING = 16 };

TEST_WITH(where_too_many_wait_the_file_goes_on, scratch_make, scratch_remove)
{
    (void)state;
    struct others_reader *readers[MOST_WAITING + 1];
    struct bench *bench = make(0);
    char name[20];
    for (unsigned i = 0; i <= MOST_WAITING; i++) {
        snprintf(name, sizeof name, i == 0 ? "a.part" : "a.%u.part", i);
        put(bench, "1\n");
        readers[i] = others_read(name, OTHERS_SHARE_WRITING);
        if (i < MOST_WAITING)
            complete(bench);
    }
    assert_false(live_file_complete(&bench->makings, &bench->file, &error));
    assert_true(live_file_is_begun(&bench->file));
    assert_blocked(MOST_WAITING);
    put(bench, "2\n");
    scratch_assert_holds_text("a.16.part", "1\n2\n");
    others_close(readers[3]);
    retry(bench, 1, true);
    complete(bench);
    assert_blocked(MOST_WAITING + 1);
    for (unsigned i = 0; i <= MOST_WAITING; i++)
        if (i != 3)
            others_close(readers[i]);
    retry(bench, MOST_WAITING, false);
    scratch_assert_holds_text("a.16", "1\n2\n");
    assert_int_equal(scratch_count(""), MOST_WAITING + 1);
    end(bench);
}

TEST_WITH(an_old_file_that_is_read_is_removed_later, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make(2);
    put(bench, "1\n");
    complete(bench);
    struct others_reader *reader = others_read("a", OTHERS_SHARE_WRITING);
    for (int i = 2; i < 6; i++) {
        put(bench, "2\n");
        complete(bench);
    }
    assert_true(scratch_has("a"));
    /* A file that is in the way does not delay other files. Only its number is skipped. */
    assert_false(scratch_has("a.3"));
    assert_true(scratch_has("a.4"));
    others_close(reader);
    put(bench, "3\n");
    complete(bench);
    assert_false(scratch_has("a"));
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

/* --- a sink ----------------------------------------------------------------------------------- */

#define BLOCK_SIZE ((size_t)1000)

static struct sink_counters counters;
static struct destination *sink;

static void open_sink(void)
{
    static char path[PATH_TEMPLATE_SIZE];
    static const struct sink_counters none;
    counters = none;
    snprintf(path, sizeof path, "%s", scratch_path("a"));
    static struct sink_settings settings;
    settings = (struct sink_settings){
        .file = {.rotate_size = 2 * BLOCK_SIZE + ENCODER_HEAD_SIZE / 2},
        .encoder = file_set_lines(),
    };
    const struct destination_options options = {
        .name = "file:a", .path = path, .settings = &settings, .counters = &counters};
    if (destination_file.create(&options, &sink, &error) != 0)
        fail_msg("%s", error.text);
}

static void close_sink(void)
{
    sink->file_set->finish(sink);
    sink->destroy(sink);
}

/*
 * Returns a record with this number. It has the size of a block, and two such records fill a file.
 */
static const char *block_of(unsigned number)
{
    static char block[BLOCK_SIZE + 1];
    int size = snprintf(block, sizeof block, "{\"number\":%u,\"filler\":\"", number);
    memset(block + size, 'x', BLOCK_SIZE - (size_t)size);
    memcpy(block + BLOCK_SIZE - 3, "\"}\n", 4);
    return block;
}

static void write_block(unsigned number)
{
    if (sink->file_set->write(sink, 0, block_of(number), BLOCK_SIZE, &error) != WRITE_OK)
        fail_msg("%s", error.text);
}

static void assert_file(const char *name, unsigned first)
{
    char expected[2 * BLOCK_SIZE + 1];
    snprintf(expected, BLOCK_SIZE + 1, "%s", block_of(first));
    snprintf(expected + BLOCK_SIZE, BLOCK_SIZE + 1, "%s", block_of(first + 1));
    scratch_assert_holds_text(name, expected);
}

TEST_WITH(a_sink_goes_on_whoever_reads_its_files, scratch_make, scratch_remove)
{
    (void)state;
    open_sink();
    write_block(0);
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    for (unsigned i = 1; i < 7; i++)
        write_block(i);
    struct others_reader *second = others_read("a.1.part", OTHERS_SHARE_WRITING);
    for (unsigned i = 7; i < 10; i++)
        write_block(i);
    assert_int_equal(counter_read(&counters.renames_blocked), 2);
    assert_int_equal(counter_read(&counters.files), 2);
    others_close(reader);
    others_close(second);
    close_sink();
    assert_file("a", 0);
    assert_file("a.1", 2);
    assert_file("a.2", 4);
    assert_file("a.3", 6);
    assert_file("a.4", 8);
    assert_int_equal(scratch_count(""), 5);
    assert_int_equal(counter_read(&counters.renames_blocked), 2);
    assert_int_equal(counter_read(&counters.files), 5);
    assert_int_equal(counter_read(&counters.write_errors), 0);
}

static void await_due(void)
{
    int64_t until = patience_until();
    while (clock_monotonic_ns() < sink->file_set->due(sink))
        assert_true(patience(until));
}

TEST_WITH(names_are_tried_again_while_nothing_is_written, scratch_make, scratch_remove)
{
    (void)state;
    open_sink();
    assert_true(sink->file_set->due(sink) == INT64_MAX);
    for (unsigned i = 0; i < 2; i++)
        write_block(i);
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    write_block(2);
    await_due();
    assert_false(sink->file_set->tick(sink));
    assert_true(scratch_has("a.part"));
    others_close(reader);
    await_due();
    assert_false(sink->file_set->tick(sink));
    assert_file("a", 0);
    assert_true(sink->file_set->due(sink) == INT64_MAX);
    close_sink();
}

TEST_WITH(names_are_tried_again_at_a_write_and_at_a_rotation, scratch_make, scratch_remove)
{
    (void)state;
    open_sink();
    for (unsigned i = 0; i < 2; i++)
        write_block(i);
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    write_block(2);
    others_close(reader);
    await_due();
    write_block(3);
    assert_file("a", 0);

    reader = others_read("a.1.part", OTHERS_SHARE_WRITING);
    sink->file_set->rotate(sink, true, true);
    assert_true(scratch_has("a.1.part"));
    others_close(reader);
    sink->file_set->rotate(sink, true, true);
    assert_file("a.1", 2);
    close_sink();
    assert_int_equal(scratch_count(""), 2);
}

TEST_WITH(what_a_sink_leaves_at_its_end_the_next_one_completes, scratch_make, scratch_remove)
{
    (void)state;
    open_sink();
    for (unsigned i = 0; i < 2; i++)
        write_block(i);
    struct others_reader *reader = others_read("a.part", OTHERS_SHARE_WRITING);
    close_sink();
    assert_file("a.part", 0);
    assert_int_equal(counter_read(&counters.files), 0);
    others_close(reader);
    open_sink();
    assert_file("a", 0);
    close_sink();
    assert_int_equal(scratch_count(""), 1);
}
