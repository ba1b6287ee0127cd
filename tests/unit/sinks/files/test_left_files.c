/* Tests that files that a killed program left are cut at their torn end and completed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/compression/compressions.h"
#include "sinks/files/left_files.h"
#include "sinks/sinks.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

#define HEAD "time,name,kind,temporality,value,start_time\r\n"

/* --- the content of a sink's files ------------------------------------------------------------ */

static const struct encoder_ops *encoder(const char *name)
{
    for (size_t i = 0; builtin_encoders[i] != NULL; i++)
        if (strcmp(builtin_encoders[i]->name, name) == 0)
            return builtin_encoders[i];
    fail_msg("no format %s", name);
    return NULL;
}

static struct file_content content(const char *format, size_t head_size)
{
    return (struct file_content){
        .name = "test", .encoder = encoder(format), .head_size = head_size};
}

static enum left_result finish(const struct file_content *made, const char *name)
{
    struct path_template *path = file_set_template("%{source}.n");
    struct finished_files *finished = file_set_finished_files(path, 0);
    char whole[PATH_TEMPLATE_SIZE], part_name[FILE_NAME_SIZE];
    struct error error;
    snprintf(whole, sizeof whole, "%s", scratch_path(name));
    const struct complete_part left = {.name = file_part_name(path, whole, 0, part_name),
                                       .path = whole};
    enum left_result result = left_file_finish(made, &left, finished, &error);
    finished_files_destroy(finished);
    path_template_free(path);
    return result;
}

static void start(const struct file_content *made, const char *template, uint64_t keep)
{
    struct path_template *path = file_set_template(template);
    struct finished_files *finished = file_set_finished_files(path, keep);
    left_files_finish(made, path, finished);
    finished_files_destroy(finished);
    path_template_free(path);
}

#define NAMED(name) "{\"time\":\"2026-11-28T10:30:04.000000001Z\",\"name\":\"" name "\"}\n"
#define OURS        NAMED("a")

/* --- torn ends -------------------------------------------------------------------------------- */

/*
 * A file's bytes and the offsets in it: first the end of its head, and then the end of each record
 * or frame.
 */
struct small_file {
    unsigned char bytes[4096];
    size_t size;
    size_t ends[16];
    size_t count;
};

static void add(struct small_file *small, const void *bytes, size_t size)
{
    assert_true(size <= sizeof small->bytes - small->size);
    memcpy(small->bytes + small->size, bytes, size);
    small->size += size;
    small->ends[small->count++] = small->size;
}

static size_t whole_of(const struct small_file *small, size_t size)
{
    size_t whole = 0;
    for (size_t i = 0; i < small->count && small->ends[i] <= size; i++)
        whole = small->ends[i];
    return whole;
}

/*
 * Cuts the file after each byte. It must then be completed with all its whole records, or be
 * removed if it has none.
 */
static void assert_every_cut(const struct file_content *made, const struct small_file *small)
{
    for (size_t size = 0; size <= small->size; size++) {
        size_t whole = whole_of(small, size);
        scratch_put("a.n.part", (const char *)small->bytes, size);
        if (finish(made, "a.n") != LEFT_DONE)
            fail_msg("%s: not finished, cut at %zu", made->encoder->name, size);
        assert_false(scratch_has("a.n.part"));
        if (whole <= made->head_size) {
            assert_false(scratch_has("a.n"));
            continue;
        }
        scratch_assert_holds("a.n", (const char *)small->bytes, whole);
        others_remove("a.n");
    }
}

TEST_WITH(a_torn_line_is_cut_off_wherever_it_is_torn, scratch_make, scratch_remove)
{
    (void)state;
    static const struct {
        const char *format;
        const char *lines[3];
    } files[] = {
        {"json",
         {"{\"time\":\"2026-11-28T10:30:04.000000001Z\",\"name\":\"\xc3\xa9\"}\n",
          "{\"received\":\"2026-11-28T10:30:04.000000001Z\",\"source\":\"\"}\n",
          "{\"time\":\"2026-11-28T10:30:04.000000001Z\",\"name\":\"\\n\"}\n"}},
        {"influx",
         {"\xc3\xa9,host=a\\ b value=1i 17\n", "m value=2 -17\n", "m count=1,sum=2,+Inf=1 18\n"}},
        {"prometheus", {"m{host=\"\xc3\xa9 \"} 1 17\n", "m 2e+03 -17\n", "m NaN 18\n"}},
        {"text",
         {"10:30:04.123 192.0.2.1       a.b 1\n", "2026-11-27   2001:d\xe2\x80\xa6::1   a 2\n",
          "10:30:04.124 ::1             \xc3\xa9 1\n"}},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct file_content made = content(files[i].format, 0);
        struct small_file small = {.size = 0};
        for (size_t line = 0; line < 3; line++)
            add(&small, files[i].lines[line], strlen(files[i].lines[line]));
        assert_every_cut(&made, &small);
    }
}

/* Completes a file whose last line is torn in this way. Returns the log, which the caller frees. */
static char *logged_by_finishing(const char *torn)
{
    const struct file_content made = content("json", 0);
    char text[sizeof OURS + 100];
    snprintf(text, sizeof text, OURS "%s", torn);
    scratch_put_text("a.n.part", text);
    standard_stream_take(STREAM_ERROR);
    enum left_result result = finish(&made, "a.n");
    char *logged = standard_stream_end_taking(STREAM_ERROR);
    assert_int_equal(result, LEFT_DONE);
    scratch_assert_holds_text("a.n", OURS);
    others_remove("a.n");
    return logged;
}

TEST_WITH(the_log_says_how_much_was_torn_off_if_anything_was, scratch_make, scratch_remove)
{
    (void)state;
    char *logged = logged_by_finishing("");
    assert_non_null(strstr(logged, "a.n, which an earlier run left behind"));
    assert_null(strstr(logged, "torn"));
    free(logged);
    logged = logged_by_finishing("{");
    assert_non_null(strstr(logged, "left behind; cut off the 1 byte"));
    free(logged);
    logged = logged_by_finishing("{\"time");
    assert_non_null(strstr(logged, "left behind; cut off the 6 bytes at its end that were torn"));
    free(logged);
}

TEST_WITH(a_csv_file_that_holds_only_its_head_is_gone, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("csv", strlen(HEAD));
    struct small_file small = {.size = 0};
    add(&small, HEAD, strlen(HEAD));
    add(&small, "2026-11-28T10:30:04.000000001Z,a\r\n", 34);
    add(&small, "2026-11-28T10:30:04.000000002Z,\"b\"\r\n", 36);
    assert_every_cut(&made, &small);
}

TEST_WITH(a_torn_message_is_cut_off_wherever_it_is_torn, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("protobuf", 0);
    struct small_file small = {.size = 0};
    static const unsigned char first[] = {7, 0x0a, 5, 'h', 'e', 'l', 'l', 'o'};
    static const unsigned char second[] = {2, 0x18, 9};
    unsigned char third[2 + 203] = {0xcb, 1, 0x0a, 0xc8, 1}; /* lengths of two bytes, 203 and 200 */
    memset(third + 5, 'x', 200);
    /*
     * If the first message is torn, it is recognised only because its length has two bytes. So this
     * message comes first.
     */
    add(&small, third, sizeof third);
    add(&small, first, sizeof first);
    add(&small, second, sizeof second);
    add(&small, first, sizeof first);
    assert_every_cut(&made, &small);
}

static void put_packet(unsigned char *packet, size_t size)
{
    memset(packet, 0, 16 + size);
    packet[0] = 1;
    packet[8] = packet[12] = (unsigned char)size;
    memset(packet + 16, 0x45, size);
}

TEST_WITH(a_torn_packet_is_cut_off_wherever_it_is_torn, scratch_make, scratch_remove)
{
    (void)state;
    const struct encoder_ops *pcap = encoder("pcap");
    const struct encoder_options options = {.view = VIEW_AUTO};
    struct encoder *made_encoder = pcap->create(&options);
    char head[ENCODER_HEAD_SIZE];
    struct output out = {.data = head, .capacity = sizeof head};
    pcap->begin(made_encoder, &out);
    pcap->destroy(made_encoder);
    struct file_content made = content("pcap", out.used);
    struct small_file small = {.size = 0};
    unsigned char packet[16 + 60];
    add(&small, head, out.used);
    put_packet(packet, 40);
    add(&small, packet, 16 + 40);
    put_packet(packet, 60);
    add(&small, packet, 16 + 60);
    assert_every_cut(&made, &small);
}

TEST_WITH(a_torn_frame_is_cut_off_wherever_it_is_torn, scratch_make, scratch_remove)
{
    (void)state;
    for (size_t i = 0; builtin_compressions[i] != NULL; i++) {
        struct file_content made = content("csv", 0);
        struct small_file small = {.size = 0};
        static const char *const blocks[] = {HEAD, "1,a\r\n2,b\r\n", "3,c\r\n3,c\r\n3,c\r\n"};
        made.compression = builtin_compressions[i]->create();
        assert_non_null(made.compression);
        for (size_t k = 0; k < 3; k++) {
            unsigned char frame[1000];
            size_t size = made.compression->ops->compress(made.compression, blocks[k],
                                                          strlen(blocks[k]), frame, sizeof frame);
            add(&small, frame, size);
        }
        made.head_size = small.ends[0];
        assert_every_cut(&made, &small);
        made.compression->ops->destroy(made.compression);
    }
}

/* The file needs several reads, and some of its records are in two of them. */
TEST_WITH(a_large_file_is_cut_off_at_its_end_alone, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    const size_t lines = 60000;
    char *bytes = malloc(lines * 150);
    assert_non_null(bytes);
    size_t size = 0;
    for (size_t i = 0; i < lines; i++)
        size += (size_t)sprintf(
            bytes + size, "{\"time\":\"2026-11-28T10:30:04.%09zuZ\",\"name\":\"%.*s\"}\n", i,
            (int)(i % 71),
            "...................................................................."
            "....................");
    bytes[size] = '{';
    scratch_put("a.n.part", bytes, size + 1);
    assert_int_equal(finish(&made, "a.n"), LEFT_DONE);
    scratch_assert_holds("a.n", bytes, size);
    free(bytes);
}

/* --- foreign files ---------------------------------------------------------------------------- */

static void assert_foreign(const struct file_content *made, const void *bytes, size_t size)
{
    scratch_put("a.n.part", bytes, size);
    assert_int_equal(finish(made, "a.n"), LEFT_FOREIGN);
    scratch_assert_holds("a.n.part", bytes, size);
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(text_is_no_capture_and_no_message, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content pcap = content("pcap", 24);
    struct file_content protobuf = content("protobuf", 0);
    static const char lines[] = "{\"time\":\"2026\",\"name\":\"cpu\"}\n{\"time\":\"2026\"}\n";
    assert_foreign(&pcap, lines, sizeof lines - 1);
    assert_foreign(&protobuf, lines, sizeof lines - 1);
}

TEST_WITH(frames_and_captures_are_no_text, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const formats[] = {"json", "influx", "prometheus", "csv"};
    static const unsigned char capture[24 + 4] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, '\n'};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct file_content made = content(formats[i], 0);
        assert_foreign(&made, capture, sizeof capture);
        for (size_t k = 0; builtin_compressions[k] != NULL; k++) {
            struct compression *compression = builtin_compressions[k]->create();
            unsigned char frame[1000];
            size_t size = compression->ops->compress(compression, "a\nb\n", 4, frame, sizeof frame);
            frame[size++] = '\n';
            assert_foreign(&made, frame, size);
            compression->ops->destroy(compression);
        }
    }
}

TEST_WITH(text_of_others_is_no_file_of_lines_of_ours, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const formats[] = {"json", "influx", "prometheus", "csv", "text"};
    static const char text[] = "some notes, that\nare somebody else's";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct file_content made = content(formats[i], 0);
        assert_foreign(&made, text, sizeof text - 1);
        assert_foreign(&made, text, 17);
    }
}

/* Before compress= was set, the sink wrote such files to the same path. */
TEST_WITH(lines_are_no_frames_and_no_frame_of_one_kind_is_of_another, scratch_make, scratch_remove)
{
    (void)state;
    static const char lines[] = "{\"a\":1}\n{\"a\":2}\n{\"a\"";
    for (size_t i = 0; builtin_compressions[i] != NULL; i++) {
        struct file_content made = content("json", 0);
        made.compression = builtin_compressions[i]->create();
        for (size_t size = 1; size < sizeof lines; size++)
            assert_foreign(&made, lines, size);
        for (size_t k = 0; builtin_compressions[k] != NULL; k++) {
            struct compression *other = builtin_compressions[k]->create();
            unsigned char frame[1000];
            size_t size = other->ops->compress(other, lines, sizeof lines, frame, sizeof frame);
            if (k != i)
                assert_foreign(&made, frame, size);
            other->ops->destroy(other);
        }
        made.compression->ops->destroy(made.compression);
    }
}

TEST_WITH(nuls_of_a_power_cut_are_as_nothing, scratch_make, scratch_remove)
{
    (void)state;
    static const char nuls[300];
    struct file_content made = content("json", 0);
    scratch_put("a.n.part", nuls, sizeof nuls);
    assert_int_equal(finish(&made, "a.n"), LEFT_DONE);
    assert_int_equal(scratch_count(""), 0);
    for (size_t i = 0; builtin_compressions[i] != NULL; i++) {
        made.compression = builtin_compressions[i]->create();
        scratch_put("a.n.part", nuls, sizeof nuls);
        assert_int_equal(finish(&made, "a.n"), LEFT_DONE);
        assert_int_equal(scratch_count(""), 0);
        made.compression->ops->destroy(made.compression);
    }
}

TEST_WITH(what_is_much_longer_than_a_record_or_a_frame_is_not_torn_off, scratch_make,
          scratch_remove)
{
    (void)state;
    const size_t size = (size_t)5 * 1024 * 1024;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'x', size);
    struct file_content made = content("json", 0);
    assert_foreign(&made, bytes, size);
    memcpy(bytes, OURS, 3);
    assert_foreign(&made, bytes, size);
    free(bytes);
}

/* --- files that are examined ------------------------------------------------------------------ */

TEST_WITH(what_is_not_there_is_done, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    assert_int_equal(finish(&made, "a.n"), LEFT_DONE);
    assert_int_equal(scratch_count(""), 0);
}

TEST_WITH(a_file_of_a_living_program_is_left_alone_until_it_dies, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    struct file_holder *holder = file_set_hold(scratch_path("a.n.part"));
    others_append("a.n.part", OURS "{");
    start(&made, "%{source}.n", 0);
    assert_int_equal(finish(&made, "a.n"), LEFT_LOCKED);
    scratch_assert_holds_text("a.n.part", OURS "{");
    file_set_kill(holder);
    start(&made, "%{source}.n", 0);
    scratch_assert_holds_text("a.n", OURS);
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(a_start_finishes_all_of_its_path_and_nothing_else, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    scratch_make_folder("x");
    scratch_make_folder("x/c.n.part");
    scratch_put_text("x/a.n.part", OURS "{");
    scratch_put_text("x/b.n.part", OURS);
    scratch_put_text("x/b.n", "old\n");
    scratch_put_text("x/a.m.part", OURS "{");
    scratch_put_text("x/a.1000.n.part", OURS "{");
    scratch_put_text("a.n.part", OURS "{");
    scratch_put_text("mine", OURS "{");
    bool link = others_link("../mine", "x/l.n.part");
    bool pipe = others_make_pipe("x/p.n.part");
    start(&made, "%{schema}/%{source}.n", 0);
    scratch_assert_holds_text("x/a.n", OURS);
    scratch_assert_holds_text("x/b.n", "old\n");
    scratch_assert_holds_text("x/b.1.n", OURS);
    scratch_assert_holds_text("x/a.m.part", OURS "{");
    scratch_assert_holds_text("x/a.1000.n.part", OURS "{");
    scratch_assert_holds_text("a.n.part", OURS "{");
    scratch_assert_holds_text("mine", OURS "{");
    assert_int_equal(scratch_has("x/l.n.part"), link);
    assert_int_equal(scratch_count("x"), 6 + (size_t)link + (size_t)pipe);
    assert_int_equal(scratch_count(""), 3);
}

/* The part with the lower number is older, so it must get its name first. */
TEST_WITH(parts_of_one_path_get_their_names_in_the_order_of_their_numbers, scratch_make,
          scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    scratch_put_text("a.n.10.part", NAMED("fourth")); /* a name of earlier versions */
    scratch_put_text("a.2.n.part", NAMED("third") "{");
    scratch_put_text("a.1.n.part", NAMED("second"));
    scratch_put_text("a.n.part", NAMED("first"));
    scratch_put_text("b.1.n.part", NAMED("only"));
    start(&made, "%{source}.n", 0);
    scratch_assert_holds_text("a.n", NAMED("first"));
    scratch_assert_holds_text("a.1.n", NAMED("second"));
    scratch_assert_holds_text("a.2.n", NAMED("third"));
    scratch_assert_holds_text("a.3.n", NAMED("fourth"));
    scratch_assert_holds_text("b.n", NAMED("only"));
    assert_int_equal(scratch_count(""), 5);
}

TEST_WITH(what_was_left_counts_among_those_that_are_kept, scratch_make, scratch_remove)
{
    (void)state;
    struct file_content made = content("json", 0);
    scratch_put_text("a.n", "old\n");
    others_set_time("a.n", 100);
    scratch_put_text("a.n.1", "old\n");
    others_set_time("a.n.1", 200);
    scratch_put_text("a.n.part", OURS);
    others_set_time("a.n.part", 50);
    start(&made, "a.n", 2);
    assert_false(scratch_has("a.n"));
    assert_true(scratch_has("a.n.1"));
    scratch_assert_holds_text("a.2.n", OURS);
    assert_int_equal(scratch_count(""), 2);
}
