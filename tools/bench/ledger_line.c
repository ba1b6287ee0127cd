#include "tools/bench/ledger_line.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The value after the next "key": at or after `at`, or NULL. */
static const char *find_value(const char *at, const char *end, const char *key)
{
    char quoted[64];
    size_t length = (size_t)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    for (; at + length <= end; at++)
        if (memcmp(at, quoted, length) == 0)
            return at + length;
    return NULL;
}

/* A number at `*at`, which is moved past it; what is none is 0. */
static uint64_t take_number(const char **at, const char *end)
{
    uint64_t number = 0;
    while (*at < end && **at >= '0' && **at <= '9')
        number = number * 10 + (uint64_t)(*(*at)++ - '0');
    return number;
}

/* The sum of a key's numbers, wherever it stands. */
static uint64_t sum_of(const char *line, const char *end, const char *key)
{
    uint64_t sum = 0;
    const char *at = line;
    while ((at = find_value(at, end, key)) != NULL)
        sum += take_number(&at, end);
    return sum;
}

/* The sum of all numbers in the objects that are a key's values. */
static uint64_t sum_inside(const char *line, const char *end, const char *key)
{
    uint64_t sum = 0;
    const char *at = line;
    while ((at = find_value(at, end, key)) != NULL) {
        while (at < end && *at != '}') {
            if (*at == ':') {
                at++;
                sum += take_number(&at, end);
            } else {
                at++;
            }
        }
    }
    return sum;
}

/* A listener has it under one of two names, after what its drops are (ledger_drops_name). */
static uint64_t sum_of_drops(const char *line, const char *end)
{
    return sum_of(line, end, "kernel_drops") + sum_of(line, end, "kernel_drops_and_filtered");
}

static bool is_true(const char *line, const char *end, const char *key)
{
    const char *value = find_value(line, end, key);
    return value != NULL && end - value >= 4 && memcmp(value, "true", 4) == 0;
}

bool ledger_line_read(const char *line, struct ledger_sums *sums)
{
    static const char beginning[] = "{\"final\":";
    const char *end = line + strcspn(line, "\n");
    *sums = (struct ledger_sums){0};
    if (strncmp(line, beginning, sizeof beginning - 1) != 0 || end[-1] != '}')
        return false;
    *sums = (struct ledger_sums){
        .final = is_true(line, end, "final"),
        .balances = is_true(line, end, "balances"),
        .received = sum_of(line, end, "received"),
        .decoded = sum_of(line, end, "decoded"),
        .reasons = sum_inside(line, end, "reasons"),
        .kernel_drops = sum_of_drops(line, end),
        .refused_while_stopping = sum_of(line, end, "refused_while_stopping"),
        .offered = sum_of(line, end, "offered"),
        .queued = sum_of(line, end, "queued"),
        .refused = sum_inside(line, end, "refused"),
        .written = sum_of(line, end, "written"),
        .filtered = sum_of(line, end, "filtered"),
        .evicted = sum_of(line, end, "evicted"),
        .failed = sum_inside(line, end, "failed"),
        .unknown = sum_of(line, end, "unknown"),
        .recovered = sum_of(line, end, "recovered"),
        .spilled = sum_of(line, end, "spilled"),
        .in_flight = sum_of(line, end, "in_flight"),
    };
    return true;
}

bool ledger_sums_balance(const struct ledger_sums *sums)
{
    return sums->final && sums->balances && sums->received == sums->decoded + sums->reasons &&
           sums->offered == sums->queued + sums->refused && sums->in_flight == 0 &&
           sums->queued + sums->recovered == sums->written + sums->filtered + sums->evicted +
                                                 sums->failed + sums->unknown + sums->spilled;
}
