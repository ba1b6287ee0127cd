/*
 * Tests that an encoder that copies parts of earlier lines writes the same as one that has written
 * nothing.
 */
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/part_cache.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/wire.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"

/* Numbers of fields in telemetry.proto. */
enum { SHARED_LABELS = 5, SAMPLES = 6 };
enum { NAME = 1, KIND, DOUBLE, INT, UINT, UNIT = 7, TIME, START, LABELS };
enum { KEY = 1, VALUE };

static struct wire wire;
static const struct encoder_options options;
static const struct encoder_ops *const formats[] = {&encoder_json, &encoder_influx};
#define FORMATS (sizeof formats / sizeof formats[0])
static struct encoding *encodings[FORMATS][2]; /* that writes all datagrams; one for each */

static int open_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < 2; k++)
            encodings[i][k] = encoding_create(&schema_telemetry, formats[i], &options);
    wire_clear(&wire);
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < 2; k++)
            encoding_free(encodings[i][k]);
    return 0;
}

static void renew(struct encoding *encoding)
{
    encoding->ops->destroy(encoding->encoder);
    encoding->encoder = encoding->ops->create(&options);
    assert_non_null(encoding->encoder);
}

static void assert_same(struct encoding *used, struct encoding *new)
{
    assert_true(encoding_decode(used, wire.bytes, wire.size));
    assert_true(encoding_decode(new, wire.bytes, wire.size));
    renew(new);
    const char *lines =
        used->ops == &encoder_json ? encoding_write_json(used) : encoding_write(used);
    assert_string_equal(lines, encoding_write(new));
}

/*
 * Asserts that encoders that have encoded earlier datagrams write the same lines for the datagram
 * in `wire` as new encoders. Then clears `wire`.
 */
static void assert_same_lines(void)
{
    for (size_t i = 0; i < FORMATS; i++)
        assert_same(encodings[i][0], encodings[i][1]);
    wire_clear(&wire);
}

static void put_label(uint32_t field, const char *key, const char *value)
{
    size_t label = wire_begin(&wire, field);
    wire_text(&wire, KEY, key);
    wire_text(&wire, VALUE, value);
    wire_end(&wire, label);
}

static void put_sample(const char *name, int64_t value)
{
    size_t sample = wire_begin(&wire, SAMPLES);
    wire_text(&wire, NAME, name);
    wire_sint(&wire, INT, value);
    put_label(LABELS, "cpu", "0");
    wire_end(&wire, sample);
}

static const char *line_of(const char *name)
{
    return strstr(encodings[0][0]->text, name);
}

/* --- what is copied and what is not ----------------------------------------------------------- */

TEST_WITH(values_and_times_are_those_of_the_sample, open_both, close_both)
{
    (void)state;
    for (int i = 1; i < 4; i++) {
        size_t sample = wire_begin(&wire, SAMPLES);
        wire_text(&wire, NAME, "n");
        wire_sint(&wire, INT, i);
        wire_text(&wire, UNIT, "s");
        wire_fixed64(&wire, TIME, (uint64_t)i * 1000000000);
        if (i == 2)
            wire_fixed64(&wire, START, 1);
        wire_end(&wire, sample);
        assert_same_lines();
    }
    assert_non_null(line_of("\"time\":\"1970-01-01T00:00:03.000000000Z\",\"name\":\"n\",\"kind\":"
                            "\"gauge\",\"value\":3,\"unit\":\"s\",\"labels\":{}"));
}

TEST_WITH(samples_of_other_kinds_and_types_have_other_lines, open_both, close_both)
{
    (void)state;
    for (uint64_t kind = 0; kind < 4; kind++) {
        for (uint32_t value = DOUBLE; value <= UINT; value++) {
            size_t sample = wire_begin(&wire, SAMPLES);
            wire_text(&wire, NAME, "n");
            wire_uint(&wire, KIND, kind);
            if (value == DOUBLE)
                wire_double(&wire, value, 1.5);
            else
                wire_uint(&wire, value, 1);
            wire_end(&wire, sample);
        }
    }
    struct wire twice = wire;
    assert_same_lines();
    wire = twice;
    assert_same_lines();
}

/* The texts of these samples are different, but joined they have the same bytes. */
TEST_WITH(the_same_bytes_in_other_texts_are_another_sample, open_both, close_both)
{
    (void)state;
    static const char *const names[][3] = {{"ab", "", "c"},   {"a", "b", "c"}, {"", "ab", "c"},
                                           {"abc", "", ""},   {"a", "bc", ""}, {"aa", "b", "c"},
                                           {"aaa", "b", "c"}, {"a", "bb", ""}, {"a", "bbb", ""}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t sample = wire_begin(&wire, SAMPLES);
        wire_text(&wire, NAME, names[i][0]);
        wire_text(&wire, UNIT, names[i][1]);
        wire_uint(&wire, UINT, i);
        put_label(LABELS, "k", names[i][2]);
        wire_end(&wire, sample);
        assert_same_lines();
    }
}

TEST_WITH(shared_labels_belong_to_the_samples_of_their_message, open_both, close_both)
{
    (void)state;
    static const char *const hosts[] = {"web-01", "web-02", "web-01", NULL, "web-02"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        if (hosts[i] != NULL)
            put_label(SHARED_LABELS, "host", hosts[i]);
        for (int sample = 0; sample < 4; sample++)
            put_sample("n", sample);
        assert_same_lines();
    }
}

/* The cache has fewer entries than the 16,000 series. */
TEST_WITH(any_number_of_series_is_written, open_both, close_both)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 16000; i++) {
            char name[16];
            snprintf(name, sizeof name, "metric_%d", i);
            put_sample(name, i);
            if (i % 1000 == 999)
                assert_same_lines();
        }
    }
    for (int i = 0; i < 40000; i++) { /* and after a pause, few again */
        put_sample("n", i);
        if (i % 1000 == 999)
            assert_same_lines();
    }
}

/* Returns how many samples of the datagram in `wire` are in the cache. */
static size_t count_found(struct part_cache *cache)
{
    struct encoding *encoding = encodings[0][0];
    struct schema_cursor cursor = {0};
    struct sample sample;
    size_t found = 0;
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    const struct record *record = &encoding->record;
    part_cache_begin_record(cache);
    while (record->schema->ops->next_sample(record->schema, record->message, &cursor, &sample)) {
        const struct part_entry *entry = part_cache_find(cache, record, &sample);
        found += entry != NULL;
        if (entry == NULL)
            part_cache_keep(cache, (struct text){"before", 6}, (struct text){"after", 5}, 1);
        else
            assert_memory_equal(part_entry_before(entry), "beforeafter", 11);
    }
    wire_clear(&wire);
    return found;
}

TEST_WITH(the_series_of_many_senders_are_found, open_both, close_both)
{
    (void)state;
    struct part_cache cache;
    assert_true(part_cache_init(&cache));
    size_t found = 0;
    for (int round = 0; round < 2; round++) {
        for (int sender = 0; sender < 64; sender++) {
            char host[16], name[16];
            snprintf(host, sizeof host, "web-%02d", sender);
            put_label(SHARED_LABELS, "host", host);
            for (int i = 0; i < 3; i++) {
                snprintf(name, sizeof name, "metric_%d", i);
                put_sample(name, i);
            }
            found += count_found(&cache);
            if (round == 0)
                assert_int_equal(found, 0);
        }
    }
    assert_in_range(found, 64 * 3 * 3 / 4, 64 * 3);
    part_cache_destroy(&cache);
}

/* A label whose key was used before is not written, but the encoder needs room for it. */
TEST_WITH(a_sample_that_repeats_a_key_needs_the_same_room_each_time, open_both, close_both)
{
    (void)state;
    static char key[111];
    memset(key, 'x', sizeof key - 1);
    for (size_t f = 0; f < FORMATS; f++) {
        struct encoding *used = encodings[f][0], *new = encodings[f][1];
        size_t sample = wire_begin(&wire, SAMPLES);
        wire_uint(&wire, UINT, 1);
        put_label(LABELS, key, "1");
        put_label(LABELS, key, "2");
        wire_end(&wire, sample);
        assert_same(used, new);
        for (size_t room = used->size; room < used->size + 300; room++) {
            renew(new);
            assert_int_equal(encoding_overflows(used, room), encoding_overflows(new, room));
        }
        wire_clear(&wire);
    }
}

/* --- labels that are written in other ways ---------------------------------------------------- */

/* Writes a text with a length of two bytes, although one would do. A decoder must accept this. */
static void put_long_length(uint32_t field, const char *text)
{
    wire_tag(&wire, field, 2);
    const uint8_t length[] = {(uint8_t)(strlen(text) | 0x80), 0};
    wire_raw(&wire, length, sizeof length);
    wire_raw(&wire, text, strlen(text));
}

/*
 * The key of the first sample has a length of two bytes. The key of the second sample has a length
 * of one byte, which equals the second of these two. All bytes after it are the same in both
 * samples.
 */
TEST_WITH(a_part_of_a_length_is_not_taken_for_a_length, open_both, close_both)
{
    (void)state;
    char key[132], value[101], second[25];
    memset(value, 'y', 100);
    value[100] = '\0';
    snprintf(key, sizeof key, "x\x12\x64%sR\x1d\n\1k\x12\x18%s", value, "123456789012345678901");
    assert_int_equal(strlen(key), 131);
    snprintf(second, sizeof second, "%s\x12\1z", "123456789012345678901");
    for (int labels = 1; labels <= 2; labels++) {
        size_t sample = wire_begin(&wire, SAMPLES);
        wire_text(&wire, NAME, "n");
        wire_uint(&wire, UINT, 1);
        put_label(LABELS, labels == 1 ? key : "x", labels == 1 ? "z" : value);
        if (labels == 2)
            put_label(LABELS, "k", second);
        wire_end(&wire, sample);
        assert_same_lines();
    }
}

/* A factor of the cache's hash, which is computed by h = (h + word) * FACTOR for each word. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static bool is_ascii(uint64_t word)
{
    for (unsigned i = 0; i < 64; i += 8)
        if ((word >> i & 0xff) < 0x20 || (word >> i & 0xff) > 0x7e)
            return false;
    return true;
}

TEST_WITH(two_samples_with_the_same_hash_have_their_own_lines, open_both, close_both)
{
    (void)state;
    char names[2][17] = {"abcdefghABCDEFGH", ""};
    uint64_t words[2], random = 1;
    bool found = false;
    memcpy(words, names[0], 16);
    while (!found) {
        uint64_t low = next_random(&random);
        for (unsigned i = 0; i < 64; i += 8)
            low = (low & ~(UINT64_C(0xff) << i)) | (0x21 + (low >> i & 0x3f)) << i;
        uint64_t high = words[1] + (words[0] - low) * FACTOR;
        found = is_ascii(low) && is_ascii(high);
        memcpy(names[1], &low, 8);
        memcpy(names[1] + 8, &high, 8);
    }
    for (int i = 0; i < 4; i++) {
        put_sample(names[i % 2], i);
        assert_same_lines();
    }
}

static const char *one_of(uint64_t *state, const char *const *texts, size_t count)
{
    return texts[next_below(state, count)];
}

static void put_random_text(uint64_t *state, uint32_t field)
{
    static const char *const texts[] = {"",    "a",   "b",        "\n\1z", "\x12\1z",
                                        "zzz", "\"x", "\xc3\xa9", "host",  "a text of 20 letters"};
    const char *text = one_of(state, texts, sizeof texts / sizeof texts[0]);
    if (next_below(state, 6) == 0)
        put_long_length(field, text);
    else
        wire_text(&wire, field, text);
}

/*
 * Writes a label. Its key and value may be repeated, missing or in another order, and it may have
 * an unknown field.
 */
static void put_random_label(uint64_t *state, uint32_t field)
{
    size_t label = wire_begin(&wire, field);
    if (next_below(state, 6) != 0) {
        put_random_text(state, KEY);
        put_random_text(state, VALUE);
    } else {
        for (uint64_t left = next_below(state, 4); left != 0; left--)
            put_random_text(state, (uint32_t)next_below(state, 2) + KEY);
        if (next_below(state, 4) == 0)
            wire_uint(&wire, 9, 1);
    }
    wire_end(&wire, label);
}

static void put_random_sample(uint64_t *state)
{
    size_t sample = wire_begin(&wire, SAMPLES);
    put_random_text(state, NAME);
    if (next_below(state, 2) == 0)
        put_random_text(state, UNIT);
    wire_uint(&wire, (uint32_t)next_below(state, 2) + INT, next_below(state, 3));
    for (uint64_t left = next_below(state, 4); left != 0; left--) {
        put_random_label(state, LABELS);
        if (next_below(state, 8) == 0)
            wire_uint(&wire, 11, 1);
    }
    wire_end(&wire, sample);
}

TEST_WITH(any_labels_are_written_as_by_a_new_encoder, open_both, close_both)
{
    (void)state;
    uint64_t random = 44;
    for (int i = 0; i < 4000; i++) {
        for (uint64_t left = next_below(&random, 3); left != 0; left--)
            put_random_label(&random, SHARED_LABELS);
        for (uint64_t left = 1 + next_below(&random, 4); left != 0; left--)
            put_random_sample(&random);
        assert_same_lines();
    }
}

TEST_WITH(long_texts_are_written_in_full, open_both, close_both)
{
    (void)state;
    static char longer[300];
    for (size_t size = 50; size < sizeof longer; size += 10) {
        memset(longer, 'x', size);
        for (int twice = 0; twice < 2; twice++) {
            put_label(SHARED_LABELS, "k", longer);
            put_sample(longer, 1);
            put_sample("n", 1);
            size_t sample = wire_begin(&wire, SAMPLES);
            wire_text(&wire, UNIT, longer);
            wire_uint(&wire, UINT, 1);
            put_label(LABELS, longer, longer);
            wire_end(&wire, sample);
            assert_same_lines();
        }
    }
}
