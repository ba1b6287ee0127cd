#include "sinks/destinations/kafka_statistics.h"

#include <string.h>

#include "collector/text/text.h"

/* Objects and arrays within each other, at most. Its statistics have six. */
#define DEPTH_MOST 16

/* Of one broker. */
struct broker {
    bool is_up;
    uint64_t waiting, connects, requests, retries, errors, timeouts;
    uint64_t answers;       /* in the interval */
    uint64_t round_trip_us; /* their mean */
};

struct reading {
    const char *at, *end;
    struct text keys[DEPTH_MOST]; /* on the way to what is read; an array's have no bytes */
    struct broker broker;
    struct kafka_statistics sums;
    uint64_t answers, round_trips_us; /* of all brokers */
};

static bool is_text(struct text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

/* A whole number that is not negative; 0 of anything else. */
static uint64_t number_of(struct text value)
{
    uint64_t number = 0;
    for (size_t i = 0; i < value.size && value.data[i] >= '0' && value.data[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(value.data[i] - '0');
    return number;
}

/* --- what is looked for ----------------------------------------------------------------------- */

/* {"brokers": {NAME: {KEY: value, "rtt": {KEY: value}}}} */
static void note_value(struct reading *reading, size_t depth, struct text value)
{
    static const struct {
        const char *name;
        size_t offset;
    } numbers[] = {
        {"waitresp_cnt", offsetof(struct broker, waiting)},
        {"connects", offsetof(struct broker, connects)},
        {"tx", offsetof(struct broker, requests)},
        {"txretries", offsetof(struct broker, retries)},
        {"txerrs", offsetof(struct broker, errors)},
        {"req_timeouts", offsetof(struct broker, timeouts)},
    };
    const struct text *keys = reading->keys;
    struct broker *broker = &reading->broker;
    if (depth < 3 || !is_text(keys[0], "brokers"))
        return;
    if (depth == 4 && is_text(keys[2], "rtt")) {
        if (is_text(keys[3], "avg"))
            broker->round_trip_us = number_of(value);
        else if (is_text(keys[3], "cnt"))
            broker->answers = number_of(value);
    }
    if (depth != 3)
        return;
    if (is_text(keys[2], "state"))
        broker->is_up = is_text(value, "UP");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_text(keys[2], numbers[i].name))
            *(uint64_t *)(void *)((char *)broker + numbers[i].offset) = number_of(value);
}

static void end_object(struct reading *reading, size_t depth)
{
    const struct broker *broker = &reading->broker;
    struct kafka_statistics *sums = &reading->sums;
    if (depth != 2 || !is_text(reading->keys[0], "brokers"))
        return;
    sums->connected += broker->is_up;
    sums->waiting += broker->waiting;
    sums->connects += broker->connects;
    sums->requests += broker->requests;
    sums->retries += broker->retries;
    sums->errors += broker->errors + broker->timeouts;
    reading->answers += broker->answers;
    reading->round_trips_us += broker->answers * broker->round_trip_us;
    reading->broker = (struct broker){0};
}

/* --- JSON ------------------------------------------------------------------------------------- */

/*
 * Enough of JSON for this text. A library for it would be loaded at every start of the program,
 * also where there is no Kafka: librdkafka itself is loaded only where a sink needs it.
 */

static bool is_one_of(char letter, const char *letters)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

static char next(struct reading *reading)
{
    while (reading->at != reading->end && is_one_of(*reading->at, " \t\r\n"))
        reading->at++;
    return reading->at == reading->end ? '\0' : *reading->at;
}

static bool take(struct reading *reading, char wanted)
{
    if (next(reading) != wanted)
        return false;
    reading->at++;
    return true;
}

/* What stands between the quotes, escapes as they are. */
static bool read_string(struct reading *reading, struct text *text)
{
    if (!take(reading, '"'))
        return false;
    const char *start = reading->at;
    while (reading->at != reading->end && *reading->at != '"') {
        if (*reading->at == '\\' && reading->at + 1 != reading->end)
            reading->at++;
        reading->at++;
    }
    *text = (struct text){start, (size_t)(reading->at - start)};
    return take(reading, '"');
}

static bool read_bare(struct reading *reading, struct text *text)
{
    const char *start = reading->at;
    while (reading->at != reading->end && !is_one_of(*reading->at, ",]} \t\r\n"))
        reading->at++;
    *text = (struct text){start, (size_t)(reading->at - start)};
    return text->size != 0;
}

static bool read_value(struct reading *reading, size_t depth);

/* An object's members, or an array's values. */
static bool read_members(struct reading *reading, size_t depth, bool object)
{
    char end = object ? '}' : ']';
    reading->at++;
    if (depth == DEPTH_MOST)
        return false;
    if (take(reading, end))
        return true;
    do {
        reading->keys[depth] = (struct text){"", 0};
        if (object && (!read_string(reading, &reading->keys[depth]) || !take(reading, ':')))
            return false;
        if (!read_value(reading, depth + 1))
            return false;
    } while (take(reading, ','));
    return take(reading, end);
}

/* `depth`: how many keys lead to it. */
static bool read_value(struct reading *reading, size_t depth)
{
    struct text value;
    char first = next(reading);
    if (first == '{' || first == '[') {
        bool read = read_members(reading, depth, first == '{');
        end_object(reading, depth);
        return read;
    }
    if (!(first == '"' ? read_string(reading, &value) : read_bare(reading, &value)))
        return false;
    note_value(reading, depth, value);
    return true;
}

bool kafka_statistics_read(const char *text, size_t size, struct kafka_statistics *statistics)
{
    struct reading reading = {.at = text, .end = text + size};
    bool read = read_value(&reading, 0) && next(&reading) == '\0';
    if (reading.answers != 0)
        reading.sums.round_trip_ns = reading.round_trips_us / reading.answers * 1000;
    *statistics = read ? reading.sums : (struct kafka_statistics){0};
    return read;
}
