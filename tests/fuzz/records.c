#include "tests/fuzz/records.h"

#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/own_file.h"
#include "tests/fuzz/readers/csv.h"
#include "tests/fuzz/readers/influx.h"
#include "tests/fuzz/readers/json.h"
#include "tests/fuzz/readers/prometheus.h"
#include "tests/fuzz/readers/text.h"
#include "tests/fuzz/requests.h"
#include "tests/fuzz/target.h"
#include "tests/support/base/random_number.h"
#include "tests/support/text/json_tree.h"

/* Buffer sizes: for one record in any output format, and for the content of an Any. */
#define ROOM    ((size_t)8 * 1024 * 1024)
#define SCRATCH ((size_t)2304 * 1024)

#define CSV_FIELDS 12

/* The number of random output sizes that are tried in addition to one byte too few. */
#define SHORT_ROOMS 3

static char *room[3];
static struct arena scratch;

static void make_room(void)
{
    for (size_t i = 0; i < 3; i++)
        if (room[i] == NULL && (room[i] = malloc(ROOM)) == NULL)
            abort();
    if (scratch.base == NULL)
        scratch = (struct arena){.base = malloc(SCRATCH), .capacity = SCRATCH};
}

/* A schema is immutable, so each is created once. */
struct schema *builtin_schema(uint64_t choice)
{
    static struct schema *made[16];
    size_t count = 0;
    while (builtin_schemas[count] != NULL)
        count++;
    choice %= count;
    const struct schema_options options = {.source = builtin_schemas[choice]->name};
    struct error error;
    if (made[choice] == NULL &&
        builtin_schemas[choice]->create(&options, &made[choice], &error) != 0)
        abort();
    return made[choice];
}

/* --- decoding --------------------------------------------------------------------------------- */

static void check_refusal(const struct decoding *decoding, size_t size)
{
    const struct decode_failure *failure = &decoding->decoded.failure;
    EXPECT(decoding->decoded.message == NULL && decoding->arena.used == 0,
           "a refused datagram has left something");
    EXPECT(failure->cause > CAUSE_UNKNOWN && failure->cause < CAUSE_END, "no cause of a refusal");
    EXPECT((failure->cause == CAUSE_TOO_DEEP) == (decoding->result == DECODE_TOO_DEEP) &&
               (failure->cause == CAUSE_NO_ROOM) == (decoding->result == DECODE_TOO_LARGE),
           "cause %d of result %d", (int)failure->cause, (int)decoding->result);
    EXPECT(failure->offset <= size, "the cause is past the datagram");
    EXPECT(memchr(failure->field, '\0', sizeof failure->field) != NULL, "a field without an end");
}

bool checked_decode(struct decoding *decoding, struct schema *schema, const void *data, size_t size)
{
    *decoding = (struct decoding){.schema = schema,
                                  .arena = {.base = malloc(MAX_DECODED), .capacity = MAX_DECODED}};
    if (decoding->arena.base == NULL)
        abort();
    decoding->result =
        schema->ops->decode(schema, data, size, &decoding->arena, &decoding->decoded);
    EXPECT(decoding->arena.used <= MAX_DECODED, "more memory than there is");
    if (decoding->result != DECODE_OK)
        check_refusal(decoding, size);
    else
        EXPECT(decoding->decoded.message != NULL, "no message");
    return decoding->result == DECODE_OK;
}

void checked_forget(struct decoding *decoding)
{
    free(decoding->arena.base);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void expect_json(const char *text, size_t size)
{
    const char *wrong = json_wrong(text, size);
    EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)size, text);
    struct json_tree *tree = json_tree_read(text, size); /* also supports names with a NUL */
    EXPECT(tree != NULL, "no JSON: %.*s", (int)size, text);
    json_tree_free(tree);
}

static struct output write_json(const struct decoding *decoding, const struct json_style *style,
                                char *to)
{
    struct output out = {.data = to, .capacity = ROOM};
    struct arena own = scratch;
    decoding->schema->ops->write_json(decoding->schema, decoding->decoded.message, style, &own,
                                      &out);
    return out;
}

/* --- encoded again ---------------------------------------------------------------------------- */

static struct output write_protobuf(const struct decoding *decoding, char *to)
{
    struct output out = {.data = to, .capacity = ROOM};
    decoding->schema->ops->write_protobuf(decoding->schema, decoding->decoded.message, &out);
    EXPECT(!out.overflow, "a message is longer than all room when it is encoded again");
    return out;
}

void check_round_trip(const struct decoding *first, const struct json_style *style)
{
    const struct schema_ops *ops = first->schema->ops;
    struct decoding second;
    make_room();
    struct output encoded = write_protobuf(first, room[0]);
    uint8_t *bytes = malloc(encoded.used + 1);
    if (bytes == NULL)
        abort();
    memcpy(bytes, encoded.data, encoded.used);
    bool is_message = checked_decode(&second, first->schema, bytes, encoded.used);
    /* A field that arrived in pieces may take more memory as one piece. */
    EXPECT(is_message || second.result == DECODE_TOO_LARGE,
           "it is not a message when encoded again");
    if (is_message) {
        struct schema_fields one = ops->count_fields(first->schema, first->decoded.message);
        struct schema_fields other = ops->count_fields(second.schema, second.decoded.message);
        EXPECT(one.known == other.known && one.unknown == other.unknown, "other fields");
        struct output again = write_protobuf(&second, room[1]);
        EXPECT(again.used == encoded.used && memcmp(again.data, encoded.data, again.used) == 0,
               "it is encoded otherwise the second time");
        struct output json = write_json(first, style, room[0]);
        struct output json_again = write_json(&second, style, room[1]);
        EXPECT(json.overflow == json_again.overflow, "more or less JSON");
        if (!json.overflow) {
            expect_json(json.data, json.used);
            EXPECT(json.used == json_again.used &&
                       memcmp(json.data, json_again.data, json.used) == 0,
                   "other JSON: %.*s", (int)json.used, json.data);
        }
    }
    checked_forget(&second);
    free(bytes);
}

/* --- each format's text ----------------------------------------------------------------------- */

typedef const char *line_reader(const char *line, size_t size);

static const char *json_line(const char *line, size_t size)
{
    expect_json(line, size);
    return NULL;
}

static const char *csv_line(const char *line, size_t size)
{
    if (size == 0 || line[size - 1] != '\r')
        return "no CR before the LF";
    return csv_wrong(line, size - 1, CSV_FIELDS);
}

static size_t expect_lines(const struct output *out, line_reader *read)
{
    size_t lines = 0;
    for (const char *line = out->data; line != out->data + out->used; lines++) {
        const char *end = memchr(line, '\n', out->used - (size_t)(line - out->data));
        EXPECT(end != NULL, "a line without its end");
        const char *wrong = read(line, (size_t)(end - line));
        EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)(end - line), line);
        line = end + 1;
    }
    return lines;
}

static const struct format {
    const struct encoder_ops *ops;
    line_reader *read;
} formats[] = {
    {&encoder_json, json_line},
    {&encoder_influx, influx_wrong},
    {&encoder_prometheus, prometheus_wrong},
    {&encoder_csv, csv_line},
    {&encoder_text, text_wrong},
};

static line_reader *reader_of(const struct encoder_ops *ops)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].ops == ops)
            return formats[i].read;
    return NULL;
}

/* --- each format's messages ------------------------------------------------------------------- */

/* Returns the next message of a delimited stream, at *at. */
static struct text next_delimited(const struct output *out, size_t *at)
{
    uint64_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
        EXPECT(*at < out->used && shift < 64, "a stream without a length");
        uint8_t byte = (uint8_t)out->data[(*at)++];
        size |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    EXPECT(size <= out->used - *at, "a message that is longer than its stream");
    struct text message = {out->data + *at, (size_t)size};
    *at += message.size;
    return message;
}

static void expect_otlp(struct text message)
{
    static struct schema *schema; /* used for all inputs */
    struct error error;
    const struct schema_options options = {.source = "otlp"};
    struct decoding decoding;
    if (schema == NULL && schema_otlp.create(&options, &schema, &error) != 0)
        abort();
    bool is_message = checked_decode(&decoding, schema, message.data, message.size);
    EXPECT(is_message || decoding.result == DECODE_TOO_LARGE, "what was written is no OTLP");
    checked_forget(&decoding);
}

static void expect_messages(const struct encoder_ops *ops, const struct record *record,
                            const struct output *out, bool as_sent)
{
    size_t at = 0;
    while (at != out->used) {
        struct text message = next_delimited(out, &at);
        if (as_sent)
            EXPECT(message.size == record->size &&
                       memcmp(message.data, record->data, record->size) == 0,
                   "%s: another message than was sent", ops->name);
        else
            expect_otlp(message);
    }
}

static void expect_packet(const struct record *record, const struct output *out)
{
    EXPECT(out->used >= record->size &&
               memcmp(out->data + out->used - record->size, record->data, record->size) == 0,
           "a packet without its datagram");
}

/* --- encoders --------------------------------------------------------------------------------- */

/*
 * Returns true if the program accepts a sink with this encoder for this schema. Repeats the
 * conditions of the program's own check.
 */
static bool can_encode(const struct encoder_ops *ops, const struct schema *schema,
                       const struct encoder_options *options)
{
    bool ruled = sample_rules_given(&options->rules) != NULL;
    if (ops->needs_samples && !schema->has_samples && (!ops->passes_otlp || !schema->ops->is_otlp))
        return false;
    if ((ruled || options->view == VIEW_SAMPLE) && !schema->has_samples)
        return false;
    return options->view != VIEW_RECORD || schema->ops->next_item != NULL;
}

static struct encoded encode(struct encoder *encoder, const struct record *record,
                             struct output *out)
{
    struct encoded encoded = encoder->ops->encode(encoder, record->listener, record, out);
    EXPECT(out->used <= out->capacity, "more than there is room for");
    return encoded;
}

/*
 * Checks that encoding into too few bytes, `there`, is an overflow and leaves the three bytes
 * before them unchanged.
 */
static void expect_overflow(struct encoder *encoder, const struct record *record, size_t there)
{
    char *block = malloc(there + 3); /* of exactly this size, for a sanitizer */
    if (block == NULL)
        abort();
    memcpy(block, "{}\n", 3);
    struct output out = {.data = block, .used = 3, .capacity = there + 3};
    encode(encoder, record, &out);
    EXPECT(out.overflow, "%s: it fits less than it takes", encoder->ops->name);
    EXPECT(memcmp(block, "{}\n", 3) == 0, "%s: it changes what was there", encoder->ops->name);
    free(block);
}

/*
 * Encodes into one byte too few, and into even fewer. (Encoders use a faster path if there is room
 * for any text.)
 */
static void expect_overflows(struct encoder *encoder, const struct record *record, size_t size)
{
    uint64_t state = record->size;
    expect_overflow(encoder, record, size - 1);
    for (unsigned i = 0; i < SHORT_ROOMS; i++)
        expect_overflow(encoder, record, next_below(&state, size));
}

static void arrange(struct encoder *encoder, struct output *out, char *to)
{
    struct output arranged = {.data = to, .capacity = ARRANGED_SIZE};
    if (out->used == 0)
        return;
    struct encoded encoded = encoder->ops->arrange(encoder, out->data, out->used, &arranged);
    EXPECT(!arranged.overflow, "an exposition is longer than was said");
    if (encoded.lines != 0) {
        const char *wrong = openmetrics_wrong(arranged.data, arranged.used);
        EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)arranged.used, arranged.data);
    }
    *out = arranged;
}

static void check_format(struct encoder *encoder, const struct record *record, struct output *out,
                         const struct encoded *encoded, bool ruled)
{
    const struct encoder_ops *ops = encoder->ops;
    line_reader *read = reader_of(ops);
    if (read != NULL) {
        size_t lines = expect_lines(out, read);
        EXPECT(lines == encoded->lines, "%s: %zu lines, not %zu", ops->name, lines, encoded->lines);
    } else if (ops->arrange != NULL) {
        arrange(encoder, out, room[2]);
    } else if (ops->needs_packets) {
        expect_packet(record, out);
    } else if (ops == &encoder_protobuf || ops == &encoder_otlp) {
        bool as_sent = !ops->needs_samples || (record->schema->ops->is_otlp && !ruled);
        expect_messages(ops, record, out, as_sent);
    }
}

/*
 * Checks a request. Remote write may have fewer samples than lines: of a series' samples in one
 * millisecond only the last one is sent.
 */
static void check_request(const struct encoder_ops *ops, const struct output *out,
                          const struct encoded *encoded)
{
    size_t samples = check_requests(ops, out->data, out->used, true);
    if (ops == &encoder_remote_write)
        EXPECT(samples != 0 && samples <= encoded->lines, "%zu samples of %zu are sent", samples,
               encoded->lines);
}

/* Checks that the output does not depend on records that were encoded before. */
static void expect_same(struct encoder *encoder, const struct record *first,
                        const struct record *other, const struct output *before)
{
    struct output out = {.data = room[1], .capacity = ROOM};
    encode(encoder, other, &out);
    out = (struct output){.data = room[1], .capacity = ROOM};
    encode(encoder, first, &out);
    EXPECT(!out.overflow && out.used == before->used &&
               memcmp(out.data, before->data, out.used) == 0,
           "%s: it is written otherwise after another record", encoder->ops->name);
}

static void check_encoder(const struct encoder_ops *ops, const struct encoder_options *options,
                          const struct record *record, const struct record *other)
{
    struct encoder *encoder = ops->create(options);
    struct output out = {.data = room[0], .capacity = ROOM};
    if (encoder == NULL)
        abort();
    struct encoded encoded = encode(encoder, record, &out);
    if (!out.overflow) {
        EXPECT(encoded.lines != 0 || out.used == 0, "%s: no line, but bytes", ops->name);
        expect_same(encoder, record, other, &out);
        if (out.used != 0)
            expect_overflows(encoder, record, out.used);
        if (ops->request != NULL && out.used != 0)
            check_request(ops, &out, &encoded);
        check_format(encoder, record, &out, &encoded, sample_rules_given(&options->rules) != NULL);
        expect_own_file(encoder, record, &out);
        if (encoded.samples != 0)
            check_limits(ops, options, record, &encoded);
    }
    ops->destroy(encoder);
}

void check_encoders(const struct record *record, const struct record *other,
                    const struct encoder_options *options)
{
    make_room();
    for (size_t i = 0; builtin_encoders[i] != NULL; i++)
        if (can_encode(builtin_encoders[i], record->schema, options))
            check_encoder(builtin_encoders[i], options, record, other);
}

/* --- datagrams -------------------------------------------------------------------------------- */

#define RECEIVED_NS INT64_C(1700000000123456789)

static void make_record(struct record *record, struct packet *packet,
                        const struct decoding *decoding, const struct sent *sent)
{
    static const struct listener listener = {.name = "udp://127.0.0.1:5555"};
    *packet =
        (struct packet){.data = sent->data,
                        .size = (uint32_t)sent->size,
                        .destination = address_from_ipv4((const uint8_t[]){192, 0, 2, 2}, 5555)};
    *record = (struct record){
        .listener = &listener,
        .schema = decoding->schema,
        .message = decoding->decoded.message,
        .data = sent->data,
        .packet = packet,
        .size = (uint32_t)sent->size,
        .source = address_from_ipv4((const uint8_t[]){192, 0, 2, (uint8_t)sent->size}, 40000),
        .received_ns = RECEIVED_NS + (int64_t)sent->size};
}

void check_datagrams(const struct sent *sent, size_t count, struct schema *schema,
                     const struct encoder_options *options)
{
    struct decoding decodings[2];
    struct record records[2];
    struct packet packets[2];
    size_t taken = 0;
    for (size_t i = 0; i < count && taken < 2; i++) {
        struct decoding *decoding = &decodings[taken];
        if (!checked_decode(decoding, schema, sent[i].data, sent[i].size)) {
            checked_forget(decoding);
            continue;
        }
        make_record(&records[taken], &packets[taken], decoding, &sent[i]);
        check_round_trip(decoding, &options->json);
        taken++;
    }
    if (taken != 0)
        check_encoders(&records[0], &records[taken - 1], options);
    while (taken != 0)
        checked_forget(&decodings[--taken]);
}
