#include "tests/simulation/message.h"

#include <jansson.h>
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

size_t message_write(uint8_t *bytes, uint32_t number, bool is_good, size_t padding)
{
    uint8_t sample[2000], label[1100], text[1000];
    memset(text, 'x', sizeof text);
    uint8_t *end = put_bytes(label, 1, "pad", 3);
    end = put_bytes(end, 2, text, padding);
    size_t label_size = (size_t)(end - label);
    end = put_bytes(sample, 1, "m", 1);
    end = put_number(end, 5 << 3); /* uint_value */
    end = put_number(end, number);
    end = put_bytes(end, 10, label, label_size);
    size_t size = (size_t)(put_bytes(bytes, 6, sample, (size_t)(end - sample)) - bytes);
    return is_good ? size : size - 1; /* the last field is longer than what is left */
}

bool message_number_of_line(const char *line, size_t size, uint32_t *number)
{
    json_error_t error;
    json_t *object = json_loadb(line, size, 0, &error);
    const json_t *value = json_object_get(object, "value");
    bool is_one = json_is_integer(value);
    if (is_one)
        *number = (uint32_t)json_integer_value(value);
    json_decref(object);
    return is_one;
}
