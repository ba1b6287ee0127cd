/*
 * Tests reading a spill folder as "sluice spill" does: the heads, and the records that were not
 * acknowledged.
 */
#include <stdio.h>
#include <string.h>

#include "collector/output/delivery_spill.h"
#include "collector/output/spill_blocks.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define RECORD_SIZE ((size_t)1000)
#define HEAD        "time,name\n"

static char exported[1000]; /* "HEAD|RECORDS;" for each block */
static uint64_t records;

static bool note(void *context, const struct spilled_block *block, struct error *error)
{
    size_t used = strlen(exported);
    (void)context;
    (void)error;
    snprintf(exported + used, sizeof exported - used, "%.*s|%.*s;", (int)block->head_size,
             block->head, (int)block->size, block->bytes);
    records += block->records;
    return true;
}

static void add(struct buffered_block *held, const char *line)
{
    const struct delivery_addition one = {
        .route = "", .schema = "riemann", .listener = "udp:", .counts = {.lines = 1}};
    size_t start = held->out.used;
    output_bytes(&held->out, line, strlen(line));
    buffered_block_add(held, start, &one);
}

/*
 * Stores a block of three records, of which record number `acknowledged`, from 0, is acknowledged.
 */
static void store(struct delivery_spill *spill, const char *letters, size_t acknowledged)
{
    struct buffered_block held;
    struct error error = {.text = ""};
    assert_true(buffered_block_make(&held, RECORD_SIZE));
    buffered_block_begin(&held, HEAD, strlen(HEAD));
    for (size_t i = 0; i < 3; i++) {
        const char line[] = {letters[i], '\n', '\0'};
        add(&held, line);
    }
    buffered_block_seal(&held, 0, 0);
    held.block.epoch = "0123456789abcdef";
    held.block.records[acknowledged].done = true;
    if (delivery_spill_store(spill, &held, &error) != SPILL_STORED)
        fail_msg("%s", error.text);
    buffered_block_free(&held);
}

static void fill(char folder[700])
{
    struct delivery_spill *spill;
    struct error error = {.text = ""};
    snprintf(folder, 700, "%s", scratch_path("spill"));
    const struct delivery_options options = {
        .in_flight = 1, .spill = folder, .spill_size = (uint64_t)64 * 1024 * 1024};
    const struct file_options file = {.sync = SYNC_NEVER};
    if (delivery_spill_open(&options, &file, &(const struct disk_reserve){0}, RECORD_SIZE,
                            "csv\ntext/csv\nhttp\n", NULL, &spill, &error) != 0)
        fail_msg("%s", error.text);
    store(spill, "abc", 0);
    store(spill, "def", 1);
    store(spill, "ghi", 2);
    assert_true(delivery_spill_close(spill, &error));
    exported[0] = '\0';
    records = 0;
}

TEST_WITH(each_block_has_its_head_and_the_records_that_are_open, scratch_make, scratch_remove)
{
    (void)state;
    char folder[700];
    struct error error = {.text = ""};
    struct spill_blocks blocks = {.visit = note};
    fill(folder);
    assert_int_equal(spill_blocks_visit(folder, &blocks, &error), 0);
    assert_int_equal(blocks.missing, 0);
    assert_int_equal(records, 6);
    assert_string_equal(exported, HEAD "|b\nc\n;" HEAD "|d\nf\n;" HEAD "|g\nh\n;");
}

/* An allocation fails. The reading must end with an error, and not skip a block. */
TEST_WITH(whichever_memory_is_short_it_ends_with_that, scratch_make, scratch_remove)
{
    (void)state;
    char folder[700];
    struct spill_blocks blocks = {.visit = note};
    fill(folder);
    uint64_t number = 1;
    for (;; number++) {
        struct error error = {.text = ""};
        failing_memory_fail(number);
        int result = spill_blocks_visit(folder, &blocks, &error);
        if (failing_memory_left() != 0)
            break;
        assert_int_equal(result, -1);
        assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    }
    failing_memory_fail(0);
    assert_true(number > 4); /* a block needs four allocations */
}
