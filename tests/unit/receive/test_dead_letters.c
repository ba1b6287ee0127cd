/* Tests dead letters: which are kept, which are dropped and why. The sums are exact. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "collector/platform/clock.h"
#include "collector/platform/output_file.h"
#include "collector/receive/dead_letters.h"
#include "tests/support/log/heard.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define SECTION 60 /* bytes of a section block */

/* --- calls that fail -------------------------------------------------------------------------- */

enum write_result __real_output_file_write(struct output_file *file, const void *bytes, size_t size,
                                           size_t *written, struct error *error);
bool __real_output_file_roll_back(struct output_file *file, size_t size);
enum write_result __wrap_output_file_write(struct output_file *file, const void *bytes, size_t size,
                                           size_t *written, struct error *error);
bool __wrap_output_file_roll_back(struct output_file *file, size_t size);

static struct {
    unsigned halves;     /* number of the write that writes only half; all later writes fail */
    unsigned write_most; /* number of writes that fail next */
    unsigned roll_backs; /* number of calls that fail next */
    atomic_uint writes;
} failing;

enum write_result __wrap_output_file_write(struct output_file *file, const void *bytes, size_t size,
                                           size_t *written, struct error *error)
{
    unsigned number = atomic_fetch_add(&failing.writes, 1) + 1;
    if (failing.halves == 0 || number < failing.halves)
        return __real_output_file_write(file, bytes, size, written, error);
    if (number == failing.halves)
        return __real_output_file_write(file, bytes, size / 2, written, error);
    if (failing.write_most == 0)
        return __real_output_file_write(file, bytes, size, written, error);
    failing.write_most--;
    error_set(error, EXIT_CODE_IO, "the disk is broken");
    return WRITE_FAILED;
}

bool __wrap_output_file_roll_back(struct output_file *file, size_t size)
{
    if (failing.roll_backs == 0)
        return __real_output_file_roll_back(file, size);
    failing.roll_backs--;
    return false;
}

/* --- writing letters -------------------------------------------------------------------------- */

static const struct listener listener = {.name = "udp://127.0.0.1:5555"};
static const struct address destination = {
    .family = ADDRESS_IPV4, .port = 5555, .bytes = {127, 0, 0, 1}};
static uint8_t payload[65507];

static struct dead_letters *letters;
static struct dead_letter_queue *queue;
static struct dead_letter_counters written; /* counters of the writing thread */
static struct dead_letter_counters offered; /* counters of the test's thread */

static struct disk_reserve reserve; /* the reserve= of the dead letters that are opened next */

static void open_letters(uint64_t max_size, uint64_t rate)
{
    struct error error = {.text = ""};
    static char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("dead"));
    struct dead_letter_options options = {.name = "file:dead",
                                          .path = path,
                                          .max_size = max_size,
                                          .rate = rate,
                                          .reserve = reserve,
                                          .counters = &written};
    memset(&written, 0, sizeof written);
    memset(&offered, 0, sizeof offered);
    if (dead_letters_create(&letters, &options, &error) != 0)
        fail_msg("%s", error.text);
    queue = dead_letters_add_queue(letters, &offered);
    assert_non_null(queue);
    if (dead_letters_open(letters, &error) != 0)
        fail_msg("%s", error.text);
}

static void start(void)
{
    struct error error;
    assert_int_equal(dead_letters_start(letters, &error), 0);
}

static void offer_from(const struct listener *from, size_t size)
{
    struct datagram_slot slot = {
        .front = payload,
        .rest = payload + DATAGRAM_FRONT_SIZE,
        .size = (uint32_t)size,
        .sent_size = (uint32_t)size,
        .source = {.family = ADDRESS_IPV4, .port = 40000, .bytes = {127, 0, 0, 2}},
        .destination = &destination,
        .received_ns = INT64_C(1700000000123456789)};
    const struct decode_failure none = {.cause = CAUSE_UNKNOWN};
    dead_letter_offer(queue, from, &slot, REASON_MALFORMED, &none, "riemann");
}

static void offer(size_t size)
{
    offer_from(&listener, size);
}

static uint64_t dropped(enum dead_letter_drop why)
{
    return counter_read(&written.dropped[why]) + counter_read(&offered.dropped[why]);
}

static void finish(int64_t deadline_ns)
{
    dead_letter_queue_close(queue);
    dead_letters_stop(letters, deadline_ns);
    dead_letters_join(letters);
    assert_true(dead_letters_have_finished(letters));
    dead_letters_destroy(letters);
    uint64_t sum = counter_read(&written.kept);
    for (int i = 0; i < DROP_COUNT; i++)
        sum += dropped((enum dead_letter_drop)i);
    assert_int_equal(sum, counter_read(&offered.offered));
}

static unsigned read_back(void)
{
    struct capture *capture;
    struct capture_datagram datagram;
    struct error error = {.text = ""};
    unsigned count = 0;
    if (capture_open(scratch_path("dead"), 5555, &capture, &error) != 0)
        fail_msg("%s", error.text);
    enum capture_result result;
    while ((result = capture_next(capture, &datagram, &error)) == CAPTURE_DATAGRAM) {
        assert_memory_equal(datagram.data, payload, datagram.size);
        assert_true(datagram.time_ns == INT64_C(1700000000123456789));
        assert_int_equal(datagram.source.port, 40000);
        assert_memory_equal(&datagram.destination, &destination, sizeof destination);
        count++;
    }
    assert_int_equal(result, CAPTURE_END);
    capture_close(capture);
    return count;
}

static int set_up(void **state)
{
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 31 + 7);
    memset(&failing, 0, sizeof failing);
    return scratch_make(state);
}

TEST_WITH(letters_of_every_size_are_kept, set_up, scratch_remove)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2047, 2048, 2049, 65507};
    open_letters(1 << 20, 100);
    start();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t until = patience_until();
        while (!dead_letter_queue_has_room(queue, sizes[i]))
            assert_true(patience(until));
        offer(sizes[i]);
    }
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), 6);
    assert_int_equal(read_back(), 6);
}

TEST_WITH(enough_disk_space_is_not_logged, set_up, scratch_remove)
{
    (void)state;
    heard_begin();
    open_letters(1 << 20, 100);
    start();
    offer(10);
    offer(20);
    finish(INT64_MAX);
    heard_end();
    assert_int_equal(counter_read(&written.kept), 2);
    assert_int_equal(heard(""), 0);
}

/*
 * Finds the first comment in the file that begins with `text`, and stores where it begins in
 * `found`. Returns its size.
 */
static size_t find_comment(const char *bytes, size_t size, const char *text, const char **found)
{
    size_t length = strlen(text);
    for (size_t at = 4; at + length <= size; at++) {
        *found = bytes + at;
        if (memcmp(*found, text, length) == 0)
            return (uint8_t)bytes[at - 2] + 256u * (uint8_t)bytes[at - 1];
    }
    fail_msg("no comment begins with \"%s\"", text);
    return 0;
}

/*
 * Gives the listener a name that is longer than a comment may be and consists of characters of two
 * bytes. Asserts that the comment is not cut inside of a character.
 */
static void assert_ends_with_a_character(const char *before)
{
    char name[700], text[32];
    struct listener own = {.name = name};
    size_t size = 0, count = strlen(before);
    memcpy(name, before, count);
    for (; count + 2 < sizeof name; count += 2)
        memcpy(name + count, "\xc3\xa9", 2);
    name[count] = '\0';
    open_letters(1 << 20, 100);
    start();
    offer_from(&own, 10);
    finish(INT64_MAX);
    char *bytes = scratch_read("dead", &size);
    const char *comment;
    snprintf(text, sizeof text, "malformed: %s\xc3\xa9", before);
    size_t length = find_comment(bytes, size, text, &comment);
    assert_in_range(length, 500, 512);
    assert_memory_equal(comment + length - 2, "\xc3\xa9", 2);
    free(bytes);
    others_remove("dead");
}

TEST_WITH(a_comment_that_is_too_long_ends_with_a_whole_character, set_up, scratch_remove)
{
    (void)state;
    assert_ends_with_a_character("");
    assert_ends_with_a_character("x");
}

TEST_WITH(without_letters_the_file_stays_empty, set_up, scratch_remove)
{
    (void)state;
    open_letters(1 << 20, 100);
    start();
    finish(INT64_MAX);
    scratch_assert_holds_text("dead", "");
}

TEST_WITH(a_later_run_appends_a_section, set_up, scratch_remove)
{
    (void)state;
    for (unsigned run = 1; run <= 3; run++) {
        open_letters(1 << 20, 100);
        start();
        offer(100);
        finish(INT64_MAX);
        assert_int_equal(read_back(), run);
    }
}

TEST_WITH(letters_beyond_the_rate_are_dropped, set_up, scratch_remove)
{
    (void)state;
    open_letters(1 << 20, 5);
    start();
    int64_t began = clock_monotonic_ns();
    for (int i = 0; i < 50; i++)
        offer(10);
    int64_t seconds = (clock_monotonic_ns() - began) / 1000000000 + 1;
    finish(INT64_MAX);
    assert_true(counter_read(&written.kept) >= 5);
    assert_true(counter_read(&written.kept) <= (uint64_t)(5 * seconds));
    assert_int_equal(dropped(DROPPED_RATE), 50 - counter_read(&written.kept));
    assert_int_equal(read_back(), counter_read(&written.kept));
}

/* Before start() is called, all letters stay in the ring. */
TEST_WITH(letters_that_do_not_fit_the_ring_are_dropped, set_up, scratch_remove)
{
    (void)state;
    open_letters(64 << 20, 1000);
    unsigned fit = 0;
    while (dead_letter_queue_has_room(queue, 60000)) {
        offer(60000);
        fit++;
    }
    assert_true(fit >= 3);
    offer(60000);
    offer(60000);
    assert_int_equal(dropped(DROPPED_RING_FULL), 2);
    start();
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), fit);
    assert_int_equal(read_back(), fit);
}

TEST_WITH(without_the_disk_reserve_letters_are_dropped, set_up, scratch_remove)
{
    (void)state;
    reserve.bytes = UINT64_MAX;
    open_letters(1 << 20, 1000);
    reserve.bytes = 0;
    start();
    offer(1000);
    offer(1000);
    finish(INT64_MAX);
    assert_int_equal(dropped(DROPPED_MIN_FREE), 2);
    assert_int_equal(counter_read(&written.kept), 0);
    assert_int_equal(counter_read(&written.bytes), 0);
}

TEST_WITH(a_file_never_becomes_longer_than_its_max_size, set_up, scratch_remove)
{
    (void)state;
    open_letters(1 << 20, 1000);
    start();
    offer(1000);
    finish(INT64_MAX);
    uint64_t block = counter_read(&written.bytes) - SECTION;
    others_remove("dead");

    uint64_t max_size = SECTION + 10 * block;
    open_letters(max_size, 1000);
    start();
    for (int i = 0; i < 25; i++)
        offer(1000);
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), 10);
    assert_int_equal(dropped(DROPPED_FILE_FULL), 15);
    assert_int_equal(counter_read(&written.bytes), max_size);
    assert_int_equal(read_back(), 10);

    open_letters(max_size + SECTION + block, 1000); /* the bytes of the earlier run count, too */
    start();
    offer(1000);
    offer(1000);
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), 1);
    assert_int_equal(dropped(DROPPED_FILE_FULL), 1);
    assert_int_equal(read_back(), 11);
}

TEST_WITH(letters_left_at_the_deadline_are_dropped, set_up, scratch_remove)
{
    (void)state;
    open_letters(1 << 20, 1000);
    offer(10);
    offer(20);
    dead_letters_stop(letters, clock_monotonic_ns());
    start();
    finish(clock_monotonic_ns());
    assert_int_equal(dropped(DROPPED_STOP_TIMEOUT), 2);
    scratch_assert_holds_text("dead", "");
}

static void offer_three(void)
{
    failing.halves = 2;
    open_letters(1 << 20, 1000);
    start();
    for (int i = 0; i < 3; i++)
        offer(1000);
}

TEST_WITH(a_half_written_letter_is_removed_and_dropped, set_up, scratch_remove)
{
    (void)state;
    failing.write_most = 1;
    offer_three();
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), 2);
    assert_int_equal(dropped(DROPPED_IO_ERROR), 1);
    assert_int_equal(read_back(), 2);
}

TEST_WITH(a_torn_letter_that_cannot_be_removed_is_completed, set_up, scratch_remove)
{
    (void)state;
    failing.write_most = failing.roll_backs = 1;
    offer_three();
    finish(INT64_MAX);
    assert_int_equal(counter_read(&written.kept), 3);
    assert_int_equal(read_back(), 3);
}

TEST_WITH(a_letter_torn_at_the_deadline_is_dropped_and_removed_by_the_next_run, set_up,
          scratch_remove)
{
    (void)state;
    failing.write_most = failing.roll_backs = UINT32_MAX;
    offer_three();
    int64_t until = patience_until();
    while (atomic_load(&failing.writes) <= failing.halves) /* until a write has failed */
        assert_true(patience(until));
    finish(clock_monotonic_ns());
    assert_int_equal(counter_read(&written.kept), 1);
    assert_int_equal(dropped(DROPPED_STOP_TIMEOUT), 2);
    memset(&failing, 0, sizeof failing);
    open_letters(1 << 20, 1000);
    start();
    offer(1000);
    finish(INT64_MAX);
    assert_int_equal(read_back(), 2);
}

TEST_WITH(a_file_that_is_not_a_capture_is_not_opened, set_up, scratch_remove)
{
    (void)state;
    scratch_put_text("dead", "{\"line\":1}\n");
    char path[600];
    struct error error = {.text = ""};
    snprintf(path, sizeof path, "%s", scratch_path("dead"));
    struct dead_letter_options options = {
        .name = "file:dead", .path = path, .max_size = 1 << 20, .counters = &written};
    assert_int_equal(dead_letters_create(&letters, &options, &error), 0);
    assert_int_equal(dead_letters_open(letters, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "cannot append dead letters to "));
    dead_letters_destroy(letters);
    scratch_assert_holds_text("dead", "{\"line\":1}\n");
}
