/*
 * Reads back the output of each format. A file of random records is cut after any byte. It must be
 * complete up to its last whole record, and no byte may count as foreign.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message_schema.h"
#include "proto/schemas.h"
#include "sinks/encoders/whole_lines.h"
#include "sinks/sinks.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/random_message.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"

#define FILES        TEST_TRIES(40) /* files of each format and schema */
#define RECORDS      12             /* most records in a file */
#define TRIES        400 /* tries to make these records, because many messages have no samples */
#define LARGEST      60000
#define EVERY_CUT    4096 /* a file of at most this size is cut after each byte */
#define FILE_SIZE    ((size_t)4 * 1024 * 1024)
#define GROUP_NUMBER 1000
#define LEVELS       8 /* more levels than a sample of a built-in schema has */

static struct wire wire;
static uint64_t state;

static size_t below(size_t end)
{
    return (size_t)next_below(&state, end);
}

/* --- random datagrams ------------------------------------------------------------------------- */

/*
 * Writes a random message of the schema. It may be damaged, or have forms that no encoder writes.
 */
static void put_message(const struct message_type *type)
{
    struct random_message random = {.state = next_random(&state), .odd = true, .most = 300};
    random_message_put(&random, &wire, type, LEVELS);
    if (below(3) == 0)
        random_message_damage(&random, &wire);
}

static void put_bytes(uint32_t field, size_t size)
{
    size_t begun = wire_begin(&wire, field);
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)next_random(&state);
        wire_raw(&wire, &byte, 1);
    }
    wire_end(&wire, begun);
}

/*
 * Writes an event of Riemann, whose strings may have any bytes. For other schemas its fields may be
 * unknown.
 */
static void put_odd_text(void)
{
    size_t event = wire_begin(&wire, 6);
    put_bytes(3, below(9));
    put_bytes(4, below(9));
    for (size_t i = below(4); i > 0; i--) {
        size_t attribute = wire_begin(&wire, 9);
        put_bytes(1, below(5));
        put_bytes(2, below(40));
        wire_end(&wire, attribute);
    }
    wire_double(&wire, 14, 1);
    wire_end(&wire, event);
}

static void put_large(void)
{
    size_t event = wire_begin(&wire, 6);
    wire_text(&wire, 3, "large");
    wire_double(&wire, 14, 1);
    put_bytes(5, below(LARGEST));
    wire_end(&wire, event);
}

/* Writes a field whose tag has five bytes. A decoder ignores some bits of such a tag. */
static void put_long_tag(void)
{
    uint64_t dropped = next_below(&state, 8) << 32;
    wire_varint(&wire, dropped | UINT64_C(1) << 31 | (uint64_t)below(1000) << 3 | 1);
    wire_raw(&wire, "\0\0\0\0\0\0\0\0", 8);
}

/* Writes varints that are longer than necessary. Some have bits after the 64th. */
static void put_long_numbers(void)
{
    wire_raw(&wire, "\xf8\x80\x80\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 15);
    wire_raw(&wire, "\xfa\x80\x80\x80\x00\x83\x80\x80\x80\x00xyz", 13);
}

static void put_groups(void)
{
    size_t depth = 1 + below(SCHEMA_MAX_DEPTH);
    for (size_t i = 0; i < depth; i++)
        wire_tag(&wire, (uint32_t)(GROUP_NUMBER + i), 3);
    for (size_t i = depth; i > 0; i--)
        wire_tag(&wire, (uint32_t)(GROUP_NUMBER + i - 1), 4);
}

static void put_datagram(const struct message_type *type)
{
    wire_clear(&wire);
    if (below(4) != 0)
        put_message(type);
    switch (below(16)) {
    case 0:
        put_odd_text();
        break;
    case 1:
        put_long_tag();
        break;
    case 2:
        put_long_numbers();
        break;
    case 3:
        put_groups();
        break;
    case 4:
        wire_clear(&wire);
        break;
    default:
        break;
    }
    if (below(400) == 0)
        put_large();
}

/* --- files ------------------------------------------------------------------------------------ */

static struct {
    char bytes[FILE_SIZE];
    size_t ends[RECORDS + 1]; /* the end of the head, and of each record */
    size_t count;
} file;

static size_t file_size(void)
{
    return file.count == 0 ? 0 : file.ends[file.count - 1];
}

static struct output file_end(void)
{
    return (struct output){.data = file.bytes, .used = file_size(), .capacity = FILE_SIZE};
}

static void add(const struct output *out)
{
    assert_false(out->overflow);
    if (out->used != file_size())
        file.ends[file.count++] = out->used;
}

static void begin_file(struct encoding *encoding)
{
    struct output out = {.data = file.bytes, .capacity = FILE_SIZE};
    file.count = 0;
    if (encoding->ops->begin != NULL)
        encoding->ops->begin(encoding->encoder, &out);
    add(&out);
}

static void write_record(struct encoding *encoding)
{
    if (!encoding_decode(encoding, wire.bytes, wire.size))
        return;
    struct packet packet = {
        .data = wire.bytes, .size = (uint32_t)wire.size, .destination = encoding->record.source};
    encoding->record.packet = &packet;
    encoding->record.received_ns = (int64_t)(next_random(&state) >> 2);
    struct output out = file_end();
    encoding->ops->encode(encoding->encoder, &encoding->listener, &encoding->record, &out);
    add(&out);
}

static void arrange_file(struct encoding *encoding)
{
    static char block[FILE_SIZE];
    size_t size = file_size();
    if (encoding->ops->arrange == NULL || size == 0)
        return;
    memcpy(block, file.bytes, size);
    struct output out = {.data = file.bytes, .capacity = FILE_SIZE};
    encoding->ops->arrange(encoding->encoder, block, size, &out);
    file.count = 0;
    add(&out);
}

static void write_file(struct encoding *encoding)
{
    const struct message_type *type = ((const struct message_schema *)encoding->schema)->type;
    size_t records = 1 + below(RECORDS);
    begin_file(encoding);
    for (size_t i = 0; i < TRIES && file.count < records; i++) {
        put_datagram(type);
        write_record(encoding);
    }
    arrange_file(encoding);
}

/* --- finding the end of the complete records -------------------------------------------------- */

static size_t last_end(size_t cut)
{
    size_t end = 0;
    for (size_t i = 0; i < file.count && file.ends[i] <= cut; i++)
        end = file.ends[i];
    return end;
}

/*
 * Returns true if a format of messages may take its own output for foreign text. It may only do so
 * before the end of the first message.
 */
static bool may_be_text(const struct encoder_ops *ops, const uint8_t *bytes, size_t size)
{
    if ((ops != &encoder_protobuf && ops != &encoder_otlp) || last_end(size) != 0)
        return false;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < ' ' && strchr("\t\n\r", bytes[i]) == NULL)
            return false;
    return true;
}

static enum output_line looked_at(const struct encoder_ops *ops, const uint8_t *line, size_t size)
{
    return ops->line(line, size < OUTPUT_LINE_LOOK ? size : OUTPUT_LINE_LOOK);
}

/*
 * Asserts that the end of the whole records is found in the cut file. In a format of lines, each
 * whole line counts.
 */
static void assert_cut_is_found(const struct encoder_ops *ops, size_t cut)
{
    /* A block of the exact size, so that a sanitizer detects a read past its end. */
    uint8_t *bytes = malloc(cut);
    bool foreign = true;
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, cut);
    size_t found = ops->whole(bytes, cut, true, &foreign);
    if (foreign && !may_be_text(ops, bytes, cut))
        fail_msg("%s: of %zu bytes %zu are foreign", ops->name, file_size(), cut);
    if (ops->whole == whole_lines) {
        assert_in_range(found, last_end(cut), cut);
        assert_true(found == 0 || bytes[found - 1] == '\n');
        assert_null(memchr(bytes + found, '\n', cut - found));
        if (found != cut && looked_at(ops, bytes + found, cut - found) == OUTPUT_LINE_FOREIGN)
            fail_msg("%s: what a cut at %zu leaves of a line is foreign", ops->name, cut);
        size_t last = found == 0 ? 0 : found - 1;
        while (last != 0 && bytes[last - 1] != '\n')
            last--;
        if (found != 0 && found - last <= OUTPUT_LINE_LOOK)
            assert_int_equal(looked_at(ops, bytes + last, found - last), OUTPUT_LINE_OWN);
    } else {
        assert_int_equal(found, last_end(cut));
    }
    free(bytes);
}

static void assert_every_record_is_found(const struct encoder_ops *ops)
{
    size_t size = file_size();
    for (size_t i = 0; i + 1 < file.count; i++) {
        size_t left = size - file.ends[i];
        bool foreign = true;
        assert_int_equal(ops->whole((uint8_t *)file.bytes + file.ends[i], left, false, &foreign),
                         left);
        assert_false(foreign);
    }
}

static void check_file(const struct encoder_ops *ops)
{
    size_t size = file_size();
    size_t step = size <= EVERY_CUT ? 1 : 2 * size / EVERY_CUT;
    for (size_t cut = 1; cut < size; cut += 1 + below(step))
        assert_cut_is_found(ops, cut);
    if (size != 0)
        assert_cut_is_found(ops, size);
    assert_every_record_is_found(ops);
}

static size_t check_files(const struct schema_ops *schema, const struct encoder_ops *encoder,
                          enum sink_view view)
{
    const struct encoder_options options = {.view = view};
    struct encoding *encoding = encoding_create(schema, encoder, &options);
    size_t records = 0;
    for (int i = 0; i < FILES; i++) {
        write_file(encoding);
        check_file(encoder);
        records += file.count;
    }
    encoding_free(encoding);
    return records;
}

static void check_format(const struct encoder_ops *encoder, enum sink_view view)
{
    state = 1;
    for (const struct schema_ops *const *row = builtin_schemas; *row != NULL; row++) {
        bool told = (*row)->next_sample != NULL || !encoder->needs_samples;
        if (told)
            assert_in_range(check_files(*row, encoder, view), FILES / 2, SIZE_MAX);
    }
}

TEST(a_file_that_begins_with_a_control_character_is_not_one_of_lines)
{
    static const uint8_t begins[] = {0x01, 0x1b, 0x7f};
    for (size_t i = 0; i < sizeof begins; i++) {
        const uint8_t bytes[] = {begins[i], 'l', 'i', 'n', 'e', '\n'};
        bool foreign = false;
        assert_int_equal(whole_lines(bytes, sizeof bytes, true, &foreign), 0);
        assert_true(foreign);
    }
}

TEST(every_format_recognises_what_it_wrote_wherever_it_was_cut)
{
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        if ((*row)->whole == NULL || (*row)->relayed) /* no files have this format */
            continue;
        check_format(*row, VIEW_AUTO);
        if (!(*row)->binary && !(*row)->needs_samples)
            check_format(*row, VIEW_MESSAGE);
    }
}
