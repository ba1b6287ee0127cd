#include "tests/simulation/message.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *put_number(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static uint8_t *put_bytes(uint8_t *to, unsigned field, const void *bytes, size_t size)
{
    to = put_number(to, field << 3 | 2);
    to = put_number(to, size);
    memcpy(to, bytes, size);
    return to + size;
}

static uint8_t *put_fixed64(uint8_t *to, unsigned field, uint64_t value)
{
    *to++ = (uint8_t)(field << 3 | 1);
    for (unsigned i = 0; i < 8; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint8_t *put_sender(uint8_t *to, const struct message *message)
{
    unsigned more = message->sender - 10;
    char name[2] = {'s', (char)('0' + message->sender)};
    if (message->sender >= 10) {
        name[0] = (char)('a' + more / 26);
        name[1] = (char)('a' + more % 26);
    }
    to = put_bytes(to, 1, name, sizeof name);
    to = put_fixed64(to, 2, message->boot);
    to = put_number(to, 3 << 3);
    return put_number(to, message->sequence);
}

/* The field `service` with the text "m", and the tag of the field metric_sint64. */
static const uint8_t riemann_name[] = {3 << 3 | 2, 1, 'm', 13 << 3};

/* Puts an event whose metric is the number, zigzag-encoded. */
static uint8_t *put_event(uint8_t *to, uint32_t number, const uint8_t *label, size_t label_size)
{
    memcpy(to, riemann_name, sizeof riemann_name);
    to = put_number(to + sizeof riemann_name, (uint64_t)number * 2);
    return put_bytes(to, 9, label, label_size);
}

size_t message_write(uint8_t *bytes, const struct message *message)
{
    static uint8_t text[MESSAGE_PADDING];
    uint8_t sample[MESSAGE_MOST], label[MESSAGE_MOST];
    if (text[0] == 0)
        memset(text, 'x', sizeof text);
    uint8_t *end = put_bytes(label, 1, "pad", 3);
    end = put_bytes(end, 2, text, message->padding);
    size_t label_size = (size_t)(end - label);
    if (message->is_riemann) {
        end = put_event(sample, message->number, label, label_size);
    } else {
        end = put_bytes(sample, 1, "m", 1);
        end = put_number(end, 5 << 3); /* uint_value */
        end = put_number(end, message->number);
        end = put_bytes(end, 10, label, label_size);
    }
    uint8_t *at = message->is_riemann ? bytes : put_sender(bytes, message);
    size_t size = (size_t)(put_bytes(at, 6, sample, (size_t)(end - sample)) - bytes);
    /* Without its last byte the message cannot be decoded. */
    return message->is_good ? size : size - 1;
}

static const uint8_t *take_number(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at != end && shift < 35; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if ((*at++ & 0x80) == 0)
            return at;
    }
    return NULL;
}

/* Skips the sender, which precedes the sample. Returns NULL if it is malformed. */
static const uint8_t *skip_sender(const uint8_t *at, const uint8_t *end)
{
    uint64_t value;
    /* The name, the boot number, and the tag of the sequence number. */
    const size_t fixed = 2 + 2 + 9 + 1;
    if ((size_t)(end - at) < fixed || at[0] != (1 << 3 | 2) || at[1] != 2 ||
        at[4] != (2 << 3 | 1) || at[fixed - 1] != 3 << 3)
        return NULL;
    return take_number(at + fixed, end, &value);
}

bool message_number_of_datagram(const uint8_t *bytes, size_t size, uint32_t *number)
{
    static const uint8_t telemetry_name[] = {1 << 3 | 2, 1, 'm', 5 << 3};
    const uint8_t *end = bytes + size;
    bool is_riemann = size != 0 && bytes[0] == (6 << 3 | 2);
    const uint8_t *name = is_riemann ? riemann_name : telemetry_name;
    const size_t name_size = sizeof telemetry_name;
    uint64_t value;
    const uint8_t *at = is_riemann ? bytes : skip_sender(bytes, end);
    if (at == NULL || at == end || *at != (6 << 3 | 2))
        return false;
    at = take_number(at + 1, end, &value);
    if (at == NULL || value != (uint64_t)(end - at) || value < name_size ||
        memcmp(at, name, name_size) != 0)
        return false;
    at = take_number(at + name_size, end, &value);
    *number = (uint32_t)(is_riemann ? value / 2 : value);
    return at != NULL;
}

/* --- reading a row ---------------------------------------------------------------------------- */

#define FIELDS    12
#define VALUE     4 /* index of the field `value` */
#define PADDED_BY 400

static bool ends_with(const char *row, size_t size, const char *listener)
{
    const size_t length = strlen(listener); /* the last digit of the port may differ */
    return size > length + 1 && memcmp(row + size - 1 - length, listener, length - 1) == 0;
}

/*
 * Also checks the length of the label. Halves of two different rows may have the right number of
 * fields together, but they are unlikely to have a label of the right length.
 */
bool message_number_of_row(const char *row, size_t size, uint32_t *number)
{
    bool is_stream = ends_with(row, size, ",tcp://127.0.0.1:6000");
    size_t commas = 0, padding = 0;
    bool is_quoted = false;
    if ((!is_stream && !ends_with(row, size, ",udp://127.0.0.1:5555")) || row[size - 1] != '\r' ||
        row[4] != '-')
        return false;
    for (size_t i = 0; i < size; i++) {
        is_quoted ^= row[i] == '"';
        padding += row[i] == 'x';
        if (row[i] != ',' || is_quoted)
            continue;
        if (++commas == VALUE)
            *number = (uint32_t)strtoul(row + i + 1, NULL, 10);
    }
    return commas == FIELDS - 1 && (is_stream || padding % PADDED_BY == 0);
}

/* --- reading a line --------------------------------------------------------------------------- */

/* Reads one JSON line. Accepts only the form that the collector's encoder writes. */
struct reading {
    const char *at, *end;
    const char *value; /* the text after "value": */
};

static bool take(struct reading *reading, char wanted)
{
    bool is_there = reading->at != reading->end && *reading->at == wanted;
    reading->at += is_there;
    return is_there;
}

static bool take_string(struct reading *reading)
{
    if (!take(reading, '"'))
        return false;
    while (reading->at != reading->end && *reading->at != '"' && *reading->at != '\\' &&
           (unsigned char)*reading->at >= ' ')
        reading->at++;
    return take(reading, '"');
}

static bool take_integer(struct reading *reading)
{
    const char *start = reading->at;
    while (reading->at != reading->end && *reading->at >= '0' && *reading->at <= '9')
        reading->at++;
    return reading->at != start;
}

static bool take_object(struct reading *reading, unsigned depth);

static bool take_member(struct reading *reading, unsigned depth)
{
    static const char name[] = "\"value\":";
    const char *key = reading->at;
    if (!take_string(reading) || !take(reading, ':') || reading->at == reading->end)
        return false;
    if (depth == 0 && (size_t)(reading->at - key) == sizeof name - 1 &&
        memcmp(key, name, sizeof name - 1) == 0)
        reading->value = reading->at;
    if (*reading->at == '"')
        return take_string(reading);
    return *reading->at == '{' ? take_object(reading, depth + 1) : take_integer(reading);
}

static bool take_object(struct reading *reading, unsigned depth)
{
    if (!take(reading, '{'))
        return false;
    if (take(reading, '}'))
        return true;
    do {
        if (!take_member(reading, depth))
            return false;
    } while (take(reading, ','));
    return take(reading, '}');
}

bool message_number_of_line(const char *line, size_t size, uint32_t *number)
{
    struct reading reading = {.at = line, .end = line + size};
    if (!take_object(&reading, 0) || reading.at != reading.end || reading.value == NULL ||
        *reading.value < '0' || *reading.value > '9')
        return false;
    *number = (uint32_t)strtoul(reading.value, NULL, 10);
    return true;
}
