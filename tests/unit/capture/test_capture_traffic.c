/* Tests captures of real senders, compared with tshark's output, and damaged captures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "tests/support/base/random_number.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/test.h"

#define MUTATIONS TEST_TRIES(200)

struct traffic {
    const char *name;
    struct capture_counts counts; /* of a reading without a port filter */
};

static const struct traffic all_traffic[] = {
    {"riemann_cli_v4", {.frames = 30, .whole = 30}},
    {"riemann_lib_odd_v4", {.frames = 6, .whole = 6}},
    {"riemann_frag_v4_mtu1500", {.frames = 34, .whole = 4, .fragments = 30, .reassembled = 6}},
    {"riemann_seq_nano_v4", {.frames = 30, .whole = 30}},
    {"collectd_riemann_batchoff_v4", {.frames = 488, .whole = 488}},
    {"syslogng_riemann_batch10", {.frames = 8, .whole = 8}},
};
#define TRAFFICS (sizeof all_traffic / sizeof all_traffic[0])

static void capture_path(const struct traffic *traffic, const char *suffix, char path[512])
{
    snprintf(path, 512, "%s/%s.%s", TEST_CAPTURES, traffic->name, suffix);
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end > 0);
    rewind(file);
    char *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/*
 * Returns the value after the first `"key": ` in the line. This is the value of the header field,
 * because tshark writes the header fields before the payload.
 */
static const char *value_of(const char *line, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *found = strstr(line, quoted);
    assert_non_null(found);
    return found + strlen(quoted);
}

static int64_t time_of(const char *line)
{
    long long seconds = 0;
    long nanoseconds = 0;
    char *end = NULL;
    seconds = strtoll(value_of(line, "ts") + 1, &end, 10);
    assert_int_equal(*end, '.');
    nanoseconds = strtol(end + 1, NULL, 10); /* tshark always writes nine digits */
    return seconds * INT64_C(1000000000) + nanoseconds;
}

static void assert_host(const struct address *address, const char *quoted)
{
    char text[ADDRESS_TEXT_SIZE];
    size_t length = address_format_host(address, text);
    assert_memory_equal(quoted + 1, text, length);
    assert_int_equal(quoted[1 + length], '"');
}

static void assert_as_reported(const struct capture_read *datagram, const char *line)
{
    assert_int_equal(datagram->size, strtoul(value_of(line, "payload_len"), NULL, 10));
    assert_int_equal(datagram->source.port, strtoul(value_of(line, "sport"), NULL, 10));
    assert_int_equal(datagram->destination.port, strtoul(value_of(line, "dport"), NULL, 10));
    assert_host(&datagram->source, value_of(line, "src"));
    assert_host(&datagram->destination, value_of(line, "dst"));
    assert_true(datagram->time_ns == time_of(line));
}

TEST(every_datagram_is_as_tshark_saw_it)
{
    for (size_t i = 0; i < TRAFFICS; i++) {
        char path[512];
        struct capture_reading reading;
        capture_path(&all_traffic[i], "pcap", path);
        capture_reading_take(&reading, path, 0);
        assert_int_equal(reading.end, CAPTURE_END);
        capture_reading_assert_counts(&reading, &all_traffic[i].counts);

        size_t size;
        capture_path(&all_traffic[i], "ndjson", path);
        char *truth = read_bytes(path, &size);
        size_t lines = 0;
        for (char *line = truth; *line != '\0'; lines++) {
            char *end = strchr(line, '\n');
            assert_non_null(end);
            *end = '\0';
            assert_in_range(lines, 0, reading.count - 1);
            assert_as_reported(&reading.datagrams[lines], line);
            line = end + 1;
        }
        assert_int_equal(lines, reading.count);
        free(truth);
        capture_reading_free(&reading);
    }
}

TEST(port_selects_its_datagrams_only)
{
    char path[512];
    struct capture_reading reading;
    capture_path(&all_traffic[2], "pcap", path);
    capture_reading_take(&reading, path, 5555);
    capture_reading_assert_counts(&reading, &all_traffic[2].counts);
    capture_reading_free(&reading);
    capture_reading_take(&reading, path, 5556);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 34, .other = 34});
    capture_reading_free(&reading);
}

/* Changes one to eight bytes. One time in four it also cuts the file. */
static void mutate(struct capture_builder *file, uint64_t *random)
{
    uint64_t changes = next_random(random) % 8;
    for (uint64_t i = 0; i <= changes; i++) {
        size_t at = (size_t)(next_random(random) % file->size);
        /* Half of the changes are in the first 400 bytes, so that many frames follow them. */
        if (next_random(random) % 2 == 0)
            at %= 400;
        if (at >= 4) /* keep the magic: an unknown one would end the test at once */
            file->bytes[at] = (uint8_t)next_random(random);
    }
    if (next_random(random) % 4 == 0)
        file->size -= (size_t)(next_random(random) % (file->size - 24));
}

/*
 * Reads a file that may be invalid. Returns true if it could be opened. capture_reading_take
 * asserts that the counts add up.
 */
static bool read_if_it_opens(const char *path)
{
    struct capture *capture = NULL;
    struct error error = {0};
    if (capture_open(path, 0, &capture, &error) != 0) {
        assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
        return false;
    }
    capture_close(capture);
    struct capture_reading reading;
    capture_reading_take(&reading, path, 0);
    capture_reading_free(&reading);
    return true;
}

TEST(damaged_captures_are_read_as_far_as_they_go)
{
    uint64_t random = 20240501;
    size_t opened = 0;
    for (size_t i = 0; i < TRAFFICS; i++) {
        char path[512];
        size_t size;
        capture_path(&all_traffic[i], "pcap", path);
        char *bytes = read_bytes(path, &size);
        if (size > 20000) /* the first frames of a long capture suffice, and are much faster */
            size = 20000;
        for (unsigned j = 0; j < MUTATIONS; j++) {
            struct capture_builder file = {0};
            capture_builder_raw(&file, bytes, size);
            mutate(&file, &random);
            opened += read_if_it_opens(capture_builder_save(&file));
            capture_builder_clear(&file);
        }
        free(bytes);
    }
    assert_true(opened > MUTATIONS * TRAFFICS / 2);
}

/* Builds a pcapng file with many kinds of blocks, so that mutations reach each of them. */
static void build_pcapng(struct capture_builder *file)
{
    static struct packet packet, datagram;
    for (unsigned section = 0; section < 4; section++) {
        capture_builder_section(file, section % 2 != 0);
        capture_builder_interface(file, 1, 0, (const uint8_t[]){9, 0, 1, 0, 9, 0, 0, 0}, 8);
        capture_builder_interface(file, 101, 0, NULL, 0);
        capture_builder_block(file, 5, "interface statistics", 20);
        packet_simple(&packet, section, 40, 5555);
        capture_builder_enhanced(file, 0, section, &packet, packet.size);
        capture_builder_obsolete(file, 0, section, &packet, packet.size);
        capture_builder_simple(file, &packet, packet.size);
        packet_begin_pattern(&datagram, section, 60);
        packet_udp(&datagram, 1, 5555);
        for (size_t offset = 0; offset < datagram.size; offset += 24) {
            size_t left = datagram.size - offset;
            packet_ipv6_part(&packet, &datagram, offset, left < 24 ? left : 24, section);
            capture_builder_enhanced(file, 0, section, &packet, packet.size);
            packet_ipv4_part(&packet, &datagram, offset, left < 24 ? left : 24, 7);
            capture_builder_enhanced(file, 0, section, &packet, packet.size);
        }
    }
}

TEST(damaged_pcapng_is_read_as_far_as_it_goes)
{
    uint64_t random = 20240502;
    struct capture_builder whole = {0};
    build_pcapng(&whole);
    assert_true(read_if_it_opens(capture_builder_save(&whole)));
    for (unsigned j = 0; j < 3 * MUTATIONS; j++) {
        struct capture_builder file = {0};
        capture_builder_raw(&file, whole.bytes, whole.size);
        mutate(&file, &random);
        (void)read_if_it_opens(capture_builder_save(&file));
        capture_builder_clear(&file);
    }
    capture_builder_clear(&whole);
}
