#include "tests/fuzz/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/text.h"
#include "sinks/encoders/encoders.h"
#include "tests/fuzz/readers/snappy.h"
#include "tests/fuzz/target.h"

/* --- protobuf's wire format ------------------------------------------------------------------- */

struct field {
    uint32_t number; /* 0 if there are no more fields */
    uint64_t value;  /* if it is a varint or a fixed64 */
    struct text text;
};

static uint64_t take_varint(struct text *message)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        EXPECT(message->size != 0, "a number without an end");
        uint8_t byte = (uint8_t)*message->data++;
        message->size--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    target_failed(__FILE__, __LINE__, "a number that is too long");
}

static struct field take_field(struct text *message)
{
    struct field field = {0};
    if (message->size == 0)
        return field;
    uint64_t tag = take_varint(message);
    field.number = (uint32_t)(tag >> 3);
    EXPECT(field.number != 0, "a field without a number");
    switch (tag & 7) {
    case 0:
        field.value = take_varint(message);
        return field;
    case 1:
        EXPECT(message->size >= 8, "a number without an end");
        memcpy(&field.value, message->data, 8);
        field.text.size = 8;
        break;
    case 2:
        field.text.size = (size_t)take_varint(message);
        EXPECT(field.text.size <= message->size, "a field that is longer than its message");
        field.text.data = message->data;
        break;
    default:
        target_failed(__FILE__, __LINE__, "a field of type %u", (unsigned)(tag & 7));
    }
    message->data += field.text.size;
    message->size -= field.text.size;
    return field;
}

/* --- remote write ----------------------------------------------------------------------------- */

/*
 * The state of reading a request. Its content is written to `said` as text, so that it can be
 * compared.
 */
struct reading {
    FILE *said;
    struct text symbols[65536];
    size_t symbol_count, samples;
    struct text last_name;
    int64_t last_time;
    bool has_name, has_sample;
};

static void say_label(struct reading *reading, struct text name, struct text value)
{
    size_t shared = name.size < reading->last_name.size ? name.size : reading->last_name.size;
    int order = shared == 0 ? 0 : memcmp(reading->last_name.data, name.data, shared);
    EXPECT(order < 0 || (order == 0 && reading->last_name.size < name.size),
           "label %.*s after %.*s", (int)name.size, name.data, (int)reading->last_name.size,
           reading->last_name.data);
    reading->last_name = name;
    reading->has_name |= name.size == 8 && memcmp(name.data, "__name__", 8) == 0;
    fwrite(name.data, 1, name.size, reading->said);
    fputc('=', reading->said);
    if (value.size != 0)
        fwrite(value.data, 1, value.size, reading->said);
    fputc('\n', reading->said);
}

static void read_label(struct reading *reading, struct text message)
{
    struct field name = take_field(&message), value = take_field(&message);
    EXPECT(name.number == 1 && (value.number == 2 || value.number == 0) && message.size == 0,
           "a label of other fields");
    say_label(reading, name.text, value.text);
}

static struct text symbol(const struct reading *reading, uint64_t number)
{
    EXPECT(number < reading->symbol_count, "symbol %" PRIu64 " of %zu", number,
           reading->symbol_count);
    return reading->symbols[number];
}

static void read_references(struct reading *reading, struct text numbers)
{
    while (numbers.size != 0) {
        struct text name = symbol(reading, take_varint(&numbers));
        say_label(reading, name, symbol(reading, take_varint(&numbers)));
    }
}

static void note_time(struct reading *reading, int64_t time)
{
    EXPECT(!reading->has_sample || time > reading->last_time,
           "a sample of %" PRId64 " after %" PRId64, time, reading->last_time);
    reading->last_time = time;
    reading->has_sample = true;
    reading->samples++;
}

/* Reads a sample. Ignores its start time, which only version 2.0 has. */
static void read_sample(struct reading *reading, struct text message, bool second)
{
    struct field field;
    uint64_t value = 0;
    int64_t time = 0;
    while ((field = take_field(&message)).number != 0) {
        EXPECT(field.number <= (second ? 3 : 2), "a sample of other fields");
        if (field.number == 1)
            value = field.value;
        else if (field.number == 2)
            time = (int64_t)field.value;
    }
    note_time(reading, time);
    fprintf(reading->said, "%" PRIx64 "@%" PRId64 "\n", value, time);
}

/* Adds up the counts that a packed field of deltas encodes. Checks that none is negative. */
static uint64_t add_deltas(struct text packed)
{
    int64_t count = 0;
    uint64_t sum = 0;
    while (packed.size != 0) {
        uint64_t delta = take_varint(&packed);
        count += (int64_t)(delta >> 1 ^ (0 - (delta & 1)));
        EXPECT(count >= 0, "a bucket with %" PRId64 " values", count);
        sum += (uint64_t)count;
    }
    return sum;
}

/*
 * Checks that a histogram has only known fields, and that its counts add up unless its sum is not a
 * number.
 */
static void read_histogram(struct reading *reading, struct text message, bool second)
{
    struct field field;
    uint64_t count = 0, sum = 0, total = 0;
    while ((field = take_field(&message)).number != 0) {
        EXPECT(field.number <= (second ? 17 : 16), "a histogram of other fields");
        if (field.number == 1)
            count = field.value;
        else if (field.number == 3)
            total = field.value;
        else if (field.number == 6)
            sum += field.value;
        else if (field.number == 9 || field.number == 12)
            sum += add_deltas(field.text);
        if (field.number == 15)
            note_time(reading, (int64_t)field.value);
        if (field.number == 17)
            continue;
        fprintf(reading->said, "%u:%" PRIx64 ":", (unsigned)field.number, field.value);
        for (size_t i = 0; field.text.data != NULL && i < field.text.size; i++)
            fprintf(reading->said, "%02x", (unsigned char)field.text.data[i]);
        fputc('\n', reading->said);
    }
    bool is_number = (total & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000) ||
                     (total & UINT64_C(0xfffffffffffff)) == 0;
    EXPECT(is_number ? sum == count : sum <= count, "%" PRIu64 " values in buckets of %" PRIu64,
           sum, count);
}

static void read_exemplar(struct reading *reading, struct text message, bool second)
{
    struct field field;
    reading->last_name = (struct text){"", 0};
    while ((field = take_field(&message)).number != 0) {
        EXPECT(field.number <= 3, "an exemplar of other fields");
        if (field.number == 1 && second)
            read_references(reading, field.text);
        else if (field.number == 1)
            read_label(reading, field.text);
        else
            fprintf(reading->said, "exemplar %" PRIx64 "\n", field.value);
    }
}

static void read_series(struct reading *reading, struct text message, bool second)
{
    struct field field;
    reading->last_name = (struct text){"", 0};
    reading->has_name = reading->has_sample = false;
    while ((field = take_field(&message)).number != 0) {
        if (field.number == 1 && second)
            read_references(reading, field.text);
        else if (field.number == 1)
            read_label(reading, field.text);
        else if (field.number == 2)
            read_sample(reading, field.text, second);
        else if (field.number == (second ? 3 : 4))
            read_histogram(reading, field.text, second);
        else if (field.number == (second ? 4 : 3))
            read_exemplar(reading, field.text, second);
        else
            EXPECT(second && field.number == 5, "a series of other fields");
    }
    EXPECT(reading->has_name && reading->has_sample, "a series without a name or a sample");
}

static void read_request(struct reading *reading, struct text message, bool second)
{
    struct field field;
    while ((field = take_field(&message)).number != 0) {
        if (second && field.number == 4) {
            EXPECT(reading->symbol_count < sizeof reading->symbols / sizeof *reading->symbols,
                   "more symbols than there is room for");
            reading->symbols[reading->symbol_count++] = field.text;
        } else {
            EXPECT(field.number == (second ? 5 : 1), "a request of other fields");
            read_series(reading, field.text, second);
        }
    }
    EXPECT(!second || reading->symbol_count == 0 || reading->symbols[0].size == 0,
           "the first symbol is not the empty one");
}

/*
 * Returns the content of a request as text, which the caller frees. Sets *samples to its number of
 * samples.
 */
static char *read_remote_write(const struct output *body, bool second, size_t *samples)
{
    static struct reading reading;
    static uint8_t *plain;
    const size_t room = (size_t)32 << 20;
    char *said = NULL;
    size_t size, used;
    if (plain == NULL && (plain = malloc(room)) == NULL)
        abort();
    const char *wrong = snappy_wrong((const uint8_t *)body->data, body->used, plain, room, &used);
    EXPECT(wrong == NULL, "snappy: %s", wrong);
    reading = (struct reading){.said = open_memstream(&said, &size)};
    if (reading.said == NULL)
        abort();
    read_request(&reading, (struct text){(const char *)plain, used}, second);
    fclose(reading.said);
    *samples = reading.samples;
    return said;
}

/* --- requests --------------------------------------------------------------------------------- */

/*
 * Returns true if a request can be made from the bytes. The caller frees the body's data in either
 * case.
 */
static bool make_request(const struct encoder_ops *ops, size_t shape, const char *bytes,
                         size_t size, struct output *body)
{
    const struct encoder_request *request = ops->request;
    size_t bound = request->bound(size);
    void *scratch = request->scratch == NULL ? NULL : malloc(request->scratch(size));
    *body = (struct output){.data = malloc(bound + 1), .capacity = bound};
    if (body->data == NULL || (request->scratch != NULL && scratch == NULL))
        abort();
    bool made = request->write(shape, bytes, size, scratch, body);
    EXPECT(!made || (!body->overflow && body->used <= bound), "a body of more than its bound");
    free(scratch);
    return made;
}

/* Checks that the body consists of these messages without their lengths. */
static void check_joined(struct text messages, const struct output *body)
{
    size_t at = 0;
    while (messages.size != 0) {
        size_t size = (size_t)take_varint(&messages);
        EXPECT(size <= messages.size && size <= body->used - at &&
                   memcmp(body->data + at, messages.data, size) == 0,
               "a request has other messages than the block");
        messages.data += size;
        messages.size -= size;
        at += size;
    }
    EXPECT(at == body->used, "a request has more than its block");
}

size_t check_requests(const struct encoder_ops *ops, const char *bytes, size_t size, bool ours)
{
    char *said = NULL;
    size_t samples = 0;
    for (size_t shape = 0; shape < ops->request->shape_count; shape++) {
        struct output body;
        bool made = make_request(ops, shape, bytes, size, &body);
        EXPECT(made || !ours, "%s: no request of what the encoder has appended", ops->name);
        if (made && ours && ops == &encoder_remote_write) {
            char *says = read_remote_write(&body, shape == 1, &samples);
            EXPECT(said == NULL || strcmp(said, says) == 0, "the shapes say:\n%s\nand:\n%s", said,
                   says);
            free(said);
            said = says;
        } else if (made && ops == &encoder_otlp) {
            check_joined((struct text){bytes, size}, &body);
        }
        free(body.data);
    }
    free(said);
    return samples;
}
