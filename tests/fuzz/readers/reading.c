#include "tests/fuzz/readers/reading.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char reading_peek(const struct reading *reading)
{
    return reading->at == reading->end ? '\0' : *reading->at;
}

bool reading_pass(struct reading *reading, char c)
{
    if (reading->at == reading->end || *reading->at != c)
        return false;
    reading->at++;
    return true;
}

bool reading_pass_word(struct reading *reading, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(reading->end - reading->at) < size || memcmp(reading->at, word, size) != 0)
        return false;
    reading->at += size;
    return true;
}

static size_t pass_digits(struct reading *reading)
{
    const char *start = reading->at;
    while (reading_peek(reading) >= '0' && reading_peek(reading) <= '9')
        reading->at++;
    return (size_t)(reading->at - start);
}

bool reading_pass_integer(struct reading *reading)
{
    reading_pass(reading, '-');
    const char *start = reading->at;
    size_t digits = pass_digits(reading);
    return digits != 0 && digits <= 20 && (digits == 1 || *start != '0');
}

bool reading_pass_double(struct reading *reading)
{
    char text[400];
    const char *start = reading->at;
    if (!reading_pass_integer(reading))
        return false;
    if (reading_pass(reading, '.') && pass_digits(reading) == 0)
        return false;
    if (reading_pass(reading, 'e') || reading_pass(reading, 'E')) {
        if (!reading_pass(reading, '-'))
            reading_pass(reading, '+');
        if (pass_digits(reading) == 0)
            return false;
    }
    size_t size = (size_t)(reading->at - start);
    if (size >= sizeof text)
        return false;
    memcpy(text, start, size);
    text[size] = '\0';
    return isfinite(strtod(text, NULL));
}

/* --- names ------------------------------------------------------------------------------------ */

#define SLOTS ((size_t)1 << 14)

/* A slot of an earlier set of names counts as free. */
static struct slot {
    uint64_t set;
    const char *name;
    size_t size;
} slots[SLOTS];
static uint64_t set;
static size_t count;

void reading_names_begin(void)
{
    set++;
    count = 0;
}

static size_t hash(const char *name, size_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        value = (value ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return (size_t)(value ^ value >> 32);
}

bool reading_name_is_new(const char *name, size_t size)
{
    size_t at = hash(name, size);
    if (++count > SLOTS / 2)
        abort();
    for (;; at++) {
        struct slot *slot = &slots[at % SLOTS];
        if (slot->set != set) {
            *slot = (struct slot){set, name, size};
            return true;
        }
        if (slot->size == size && memcmp(slot->name, name, size) == 0)
            return false;
    }
}
