#include "collector/config/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/digit.h"

struct unit {
    const char *name; /* name; NULL ends a table */
    uint64_t factor;
};

/*
 * Units in the order of preference: if two units give equally short texts, quantity_format uses the
 * first one.
 */
static const struct unit count_units[] = {{"", 1}, {NULL, 0}};
static const struct unit size_units[] = {
    {"B", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {NULL, 0},
};
static const struct unit duration_units[] = {
    {"s", 1000000000},
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"m", UINT64_C(60) * 1000000000},
    {"h", UINT64_C(3600) * 1000000000},
    {"d", UINT64_C(86400) * 1000000000},
    {NULL, 0},
};

struct quantity_rules {
    const struct unit *units;
    const char *no_unit;      /* error text for a number without a unit */
    const char *unknown_unit; /* error text for a text after the number that is not a unit */
    const char *inexact;      /* error text for a fraction of the smallest unit */
};

static const struct quantity_rules rules[] = {
    [QUANTITY_COUNT] = {count_units, "", "is not a plain whole number", "is not a whole number"},
    [QUANTITY_SIZE] = {size_units, "has no unit; give one of B, kB, MB, GB, KiB, MiB, GiB",
                       "has an unknown unit; give one of B, kB, MB, GB, KiB, MiB, GiB",
                       "is not a whole number of bytes"},
    [QUANTITY_DURATION] = {duration_units, "has no unit; give one of ns, us, ms, s, m, h, d",
                           "has an unknown unit; give one of ns, us, ms, s, m, h, d",
                           "is not a whole number of nanoseconds"},
};

const char *quantity_unit(enum quantity quantity, size_t at)
{
    return rules[quantity].units[at].name;
}

static const char too_large[] = "is too large";

/* A decimal number: whole + part / part_of, where part < part_of, in lowest terms. */
struct decimal {
    uint64_t whole;
    uint64_t part;
    uint64_t part_of;
};

static void reduce(struct decimal *decimal)
{
    uint64_t a = decimal->part_of;
    uint64_t b = decimal->part;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    decimal->part /= a;
    decimal->part_of /= a;
}

static const char *read_decimal(const char *text, size_t length, struct decimal *decimal,
                                size_t *used)
{
    *decimal = (struct decimal){.part_of = 1};
    size_t at = 0;
    for (; at < length && is_digit(text[at]); at++) {
        unsigned digit = (unsigned)(text[at] - '0');
        if (decimal->whole > (UINT64_MAX - digit) / 10)
            return too_large;
        decimal->whole = decimal->whole * 10 + digit;
    }
    if (at == 0)
        return length != 0 && text[0] == '-' ? "is negative" : "is not a number";
    if (at < length && text[at] == '.') {
        size_t first = ++at;
        for (; at < length && is_digit(text[at]); at++) {
            if (decimal->part_of > UINT64_MAX / 10)
                return "has too many digits";
            decimal->part = decimal->part * 10 + (unsigned)(text[at] - '0');
            decimal->part_of *= 10;
        }
        if (at == first)
            return "is not a number";
        reduce(decimal);
    }
    *used = at;
    return NULL;
}

static const struct unit *find_unit(const struct unit *units, const char *name, size_t length)
{
    for (; units->name != NULL; units++)
        if (strlen(units->name) == length && memcmp(units->name, name, length) == 0)
            return units;
    return NULL;
}

const char *quantity_parse(enum quantity quantity, const char *text, size_t length, uint64_t *value)
{
    const struct quantity_rules *rule = &rules[quantity];
    if (length == 0)
        return "is empty";
    struct decimal decimal;
    size_t used = 0;
    const char *problem = read_decimal(text, length, &decimal, &used);
    if (problem != NULL)
        return problem;
    const struct unit *unit = find_unit(rule->units, text + used, length - used);
    if (unit == NULL)
        return used == length ? rule->no_unit : rule->unknown_unit;
    if (unit->factor % decimal.part_of != 0)
        return rule->inexact;
    /* `part` is less than the factor, because decimal.part < decimal.part_of. */
    uint64_t part = unit->factor / decimal.part_of * decimal.part;
    if (decimal.whole > (UINT64_MAX - part) / unit->factor)
        return too_large;
    *value = decimal.whole * unit->factor + part;
    return NULL;
}

size_t quantity_format(enum quantity quantity, uint64_t value, char *text)
{
    size_t best = QUANTITY_TEXT_SIZE;
    for (const struct unit *unit = rules[quantity].units; unit->name != NULL; unit++) {
        if (value % unit->factor != 0)
            continue;
        char candidate[QUANTITY_TEXT_SIZE];
        int size = snprintf(candidate, sizeof candidate, "%" PRIu64 "%s", value / unit->factor,
                            unit->name);
        if (size > 0 && (size_t)size < best) {
            best = (size_t)size;
            memcpy(text, candidate, best + 1);
        }
    }
    return best;
}
