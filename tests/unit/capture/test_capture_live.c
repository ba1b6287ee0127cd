/*
 * Tests captures that are written while they are read. The writer runs in the reader's thread, each
 * time that the reader would wait, so the test controls where the reader pauses.
 */
#include <string.h>

#include "collector/capture/capture.h"
#include "collector/platform/thread.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/platform/written_pipe.h"
#include "tests/support/test.h"

#define ETHERNET 1
#define PORT     5555

static struct packet packet;
static struct capture_builder file;
static struct capture *capture;

static struct {
    struct written_pipe *pipe;
    bool begun;
    size_t written;
    size_t part;  /* bytes that it writes in each wait */
    size_t until; /* file position at which it stops */
    bool cancels; /* cancel the capture at `until`, instead of closing the pipe */
    unsigned waits;
} writer;

static void make_pipe(void)
{
    writer.pipe = written_pipe_make();
    assert_non_null(writer.pipe);
}

static int begin(void **state)
{
    (void)state;
    packet_simple(&packet, 1, 100, PORT);
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    for (unsigned i = 0; i < 3; i++)
        capture_builder_record(&file, i + 1, 0, &packet, packet.size);
    capture_builder_save(&file); /* also creates the directory */
    make_pipe();
    return 0;
}

static int end(void **state)
{
    (void)state;
    capture_close(capture);
    capture = NULL;
    written_pipe_remove(writer.pipe);
    capture_builder_clear(&file);
    return 0;
}

static void write_part(void *context)
{
    (void)context;
    writer.waits++;
    if (!writer.begun)
        assert_true(written_pipe_begin(writer.pipe));
    writer.begun = true;
    size_t left = writer.until - writer.written;
    size_t part = left < writer.part ? left : writer.part;
    if (part != 0) {
        assert_true(written_pipe_write(writer.pipe, file.bytes + writer.written, part));
        writer.written += part;
    } else if (writer.cancels) {
        capture_cancel(capture);
    } else {
        written_pipe_end(writer.pipe);
    }
}

/*
 * Opens the pipe without a writer. In each wait of the capture, the test then writes `part` bytes
 * to the pipe, until `until` bytes of the file are written.
 */
static void open_to_be_written(size_t part, size_t until)
{
    struct error error = {.text = ""};
    struct written_pipe *pipe = writer.pipe;
    memset(&writer, 0, sizeof writer);
    writer.pipe = pipe;
    writer.part = part;
    writer.until = until;
    if (capture_open(written_pipe_path(pipe), PORT, &capture, &error) != 0)
        fail_msg("%s", error.text);
    capture_on_wait(capture, write_part, NULL);
}

/*
 * Reads datagrams until capture_next returns another result, and asserts that this is `expected`,
 * also when called once more. The error must contain `words`. Returns the number of datagrams.
 */
static unsigned read_all(enum capture_result expected, const char *words)
{
    struct capture_datagram datagram;
    struct error error = {.text = ""};
    enum capture_result result;
    unsigned count = 0;
    while ((result = capture_next(capture, &datagram, &error)) == CAPTURE_DATAGRAM) {
        assert_int_equal(datagram.size, 100);
        for (size_t at = 0; at < datagram.size; at++)
            assert_int_equal(datagram.data[at], packet_pattern(1, at));
        count++;
    }
    assert_int_equal(result, expected);
    assert_int_equal(capture_next(capture, &datagram, &error), expected);
    assert_int_equal(capture_counts(capture)->frames, count);
    if (words != NULL) {
        assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
        if (strstr(error.text, words) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, words);
    }
    return count;
}

TEST_WITH(a_writer_may_pause_after_every_byte, begin, end)
{
    (void)state;
    open_to_be_written(1, file.size);
    assert_int_equal(read_all(CAPTURE_END, NULL), 3);
    assert_int_equal(writer.waits, file.size + 1);
}

TEST_WITH(the_same_of_pcapng, begin, end)
{
    (void)state;
    capture_builder_clear(&file);
    capture_builder_section(&file, true);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_enhanced(&file, 0, 1, &packet, packet.size);
    capture_builder_block(&file, 0x0bad, packet.room, 5000);
    capture_builder_enhanced(&file, 0, 2, &packet, packet.size);
    open_to_be_written(1, file.size);
    assert_int_equal(read_all(CAPTURE_END, NULL), 2);
    assert_int_equal(writer.waits, file.size + 1);
}

/*
 * A datagram is returned when the last byte of its record has arrived; the reader does not wait for
 * the next record.
 */
TEST_WITH(what_has_come_is_given_before_the_next_wait, begin, end)
{
    (void)state;
    size_t record = 16 + packet.size;
    open_to_be_written(24 + record, file.size);
    writer.until = 24 + record;
    struct capture_datagram datagram;
    struct error error;
    assert_int_equal(capture_next(capture, &datagram, &error), CAPTURE_DATAGRAM);
    assert_int_equal(writer.waits, 1);
}

TEST_WITH(a_cancelled_wait_is_an_end_wherever_the_writer_paused, begin, end)
{
    (void)state;
    size_t record = 16 + packet.size;
    for (size_t until = 0; until < file.size; until++) {
        open_to_be_written(file.size, until);
        writer.cancels = true;
        assert_int_equal(read_all(CAPTURE_END, NULL), until < 24 ? 0 : (until - 24) / record);
        capture_close(capture);
        capture = NULL;
        written_pipe_remove(writer.pipe);
        make_pipe();
    }
}

TEST_WITH(a_writer_that_goes_within_a_record_leaves_damage, begin, end)
{
    (void)state;
    open_to_be_written(7, file.size - 1);
    assert_int_equal(read_all(CAPTURE_DAMAGED, "within the record that begins at byte"), 2);
}

TEST_WITH(what_is_no_capture_is_damaged_from_the_start, begin, end)
{
    (void)state;
    file.size = 0;
    capture_builder_raw(&file, "\x1f\x8b\x08\x00 and so on", 14);
    open_to_be_written(14, 14);
    assert_int_equal(read_all(CAPTURE_DAMAGED, "(its first bytes are 1f 8b 08 00)"), 0);
}

TEST_WITH(a_writer_that_writes_nothing_leaves_no_capture, begin, end)
{
    (void)state;
    open_to_be_written(1, 0);
    assert_int_equal(read_all(CAPTURE_DAMAGED, "is empty"), 0);
}

static void cancel(void *context)
{
    capture_cancel(context);
}

TEST_WITH(another_thread_may_cancel, begin, end)
{
    (void)state;
    struct error error = {.text = ""};
    struct thread *thread;
    assert_int_equal(capture_open(written_pipe_path(writer.pipe), PORT, &capture, &error), 0);
    assert_int_equal(thread_start(&thread, "cancel", cancel, capture, &error), 0);
    assert_int_equal(read_all(CAPTURE_END, NULL), 0);
    thread_join(thread);
}

/*
 * All frames have another port, so capture_next returns no datagram. It returns before the end of
 * the file only because the capture is cancelled.
 */
TEST_WITH(a_regular_file_is_not_read_on_when_cancelled, begin, end)
{
    (void)state;
    unsigned frames = 10000;
    static struct packet other;
    struct capture_datagram datagram;
    struct error error = {.text = ""};
    packet_simple(&other, 1, 100, PORT + 1);
    for (unsigned i = 0; i < frames; i++)
        capture_builder_record(&file, i + 1, 0, &other, other.size);
    assert_int_equal(capture_open(capture_builder_save(&file), PORT + 2, &capture, &error), 0);
    capture_cancel(capture);
    assert_int_equal(capture_next(capture, &datagram, &error), CAPTURE_END);
    assert_true(capture_counts(capture)->frames < frames);
    assert_int_equal(capture_counts(capture)->other, capture_counts(capture)->frames);
}

/* capture_check must leave all bytes in the pipe for the reader, which is opened later. */
TEST_WITH(checking_takes_nothing_from_a_pipe, begin, end)
{
    (void)state;
    struct error error = {.text = ""};
    const char *path = written_pipe_path(writer.pipe);
    assert_int_equal(capture_check(path, &error), 0);
    assert_int_equal(capture_check(path, &error), 0);
    open_to_be_written(file.size, file.size);
    writer.begun = written_pipe_begin(writer.pipe);
    writer.written = 30;
    assert_true(written_pipe_write(writer.pipe, file.bytes, writer.written));
    assert_int_equal(capture_check(path, &error), 0);
    assert_int_equal(read_all(CAPTURE_END, NULL), 3);
}

struct stream {
    struct written_pipe *pipe;
    bool written;
};

static void write_all(void *context)
{
    struct stream *stream = context;
    stream->written =
        written_pipe_begin(stream->pipe) && written_pipe_write(stream->pipe, file.bytes, file.size);
    written_pipe_end(stream->pipe);
}

/* A thread writes to the pipe in blocks that are larger than any buffer. */
TEST_WITH(a_pipe_is_read_as_a_file_is, begin, end)
{
    (void)state;
    struct stream stream = {.pipe = writer.pipe};
    struct capture_reading reading = {0};
    struct thread *thread;
    struct error error;
    capture_builder_clear(&file);
    capture_builder_section(&file, false);
    capture_builder_block(&file, 4, packet.room, sizeof packet.room);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    for (unsigned i = 0; i < 5000; i++)
        capture_builder_enhanced(&file, 0, i, &packet, packet.size);
    assert_int_equal(thread_start(&thread, "writer", write_all, &stream, &error), 0);
    capture_reading_take(&reading, written_pipe_path(stream.pipe), PORT);
    thread_join(thread);
    assert_true(stream.written);
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading,
                                  &(struct capture_counts){.frames = 5000, .whole = 5000});
    capture_reading_free(&reading);
}

TEST_WITH(checking_reads_what_is_no_pipe, begin, end)
{
    (void)state;
    struct error error = {.text = ""};
    assert_int_equal(capture_check(capture_builder_save(&file), &error), 0);
    file.bytes[0] ^= 1;
    assert_int_equal(capture_check(capture_builder_save(&file), &error), -1);
    assert_non_null(strstr(error.text, "neither pcap nor pcapng"));
    assert_int_equal(capture_check("/nonexistent/capture.pcap", &error), -1);
    assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
}
