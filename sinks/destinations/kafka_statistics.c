#include "sinks/destinations/kafka_statistics.h"

#include <string.h>

#include "collector/text/json_reader.h"

struct broker {
    bool is_up;
    uint64_t waiting, connects, requests, retries, errors, timeouts;
    uint64_t answers;       /* number in the interval */
    uint64_t round_trip_us; /* mean of the interval */
};

struct reading {
    struct text keys[4]; /* names of the members that lead to the current value, outermost first */
    struct broker broker;
    struct kafka_statistics sums;
    uint64_t answers, round_trips_us; /* sums over all brokers */
};

/*
 * Reads a number of {"brokers": {NAME: {KEY: value, "rtt": {KEY: value}}}}. `depth` is the number
 * of member names that lead to it.
 */
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
    if (depth == 4 && json_text_is(keys[2], "rtt")) {
        if (json_text_is(keys[3], "avg"))
            broker->round_trip_us = json_whole_number(value);
        else if (json_text_is(keys[3], "cnt"))
            broker->answers = json_whole_number(value);
    }
    if (depth != 3)
        return;
    if (json_text_is(keys[2], "state"))
        broker->is_up = json_text_is(value, "UP");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_text_is(keys[2], numbers[i].name))
            *(uint64_t *)(void *)((char *)broker + numbers[i].offset) = json_whole_number(value);
}

static void end_broker(struct reading *reading)
{
    const struct broker *broker = &reading->broker;
    struct kafka_statistics *sums = &reading->sums;
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

static void note_item(struct reading *reading, const struct json_item *item)
{
    if (item->type != JSON_END && item->depth != 0 && item->depth <= 4)
        reading->keys[item->depth - 1] = item->name;
    if (!json_text_is(reading->keys[0], "brokers"))
        return;
    if (item->type == JSON_END && item->depth == 2)
        end_broker(reading);
    else if (item->type < JSON_ARRAY)
        note_value(reading, item->depth, item->text);
}

bool kafka_statistics_read(const char *text, size_t size, struct kafka_statistics *statistics)
{
    struct reading reading = {.answers = 0};
    struct json_reader reader;
    struct json_item item;
    json_reader_begin(&reader, text, size);
    while (json_read(&reader, &item))
        note_item(&reading, &item);
    if (reading.answers != 0)
        reading.sums.round_trip_ns = reading.round_trips_us / reading.answers * 1000;
    *statistics = reader.wrong == NULL ? reading.sums : (struct kafka_statistics){0};
    return reader.wrong == NULL;
}

void kafka_statistics_hide_id(char *text, size_t size)
{
    static const char next[] = "\"type\":";
    const size_t length = sizeof next - 1;
    for (size_t at = 1; size >= length && at <= size - length; at++) {
        if (text[at] != '"' || memcmp(text + at, next, length) != 0)
            continue;
        memset(text + 1, ' ', at - 1);
        return;
    }
}
