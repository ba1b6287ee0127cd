#include "tools/bench/probe.h"

#include <string.h>

#include "proto/reading/wire.h"

#define PROBE_NAME "sluice.bench.probe"
#define SECOND     INT64_C(1000000000)
#define DAY        (86400 * SECOND)

/* The numbers are those of proto/telemetry.proto. */
static void encode(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out)
{
    message_telemetry_begin(plan, number, time_ns, out);
    size_t sample = wire_begin(out, 6);
    wire_text(out, 1, PROBE_NAME);
    wire_double(out, 3, 1.0);
    wire_end(out, sample);
}

static void stamp(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns)
{
    message_telemetry.stamp(plan, bytes, size, number, time_ns);
}

const struct message_shape probe_shape = {.name = "probe", .encode = encode, .stamp = stamp};

static int64_t digits(const char *text, size_t count)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value * 10 + (text[i] - '0');
    return value;
}

/* Nanoseconds of the day in a line that begins {"time":"2026-11-21T06:43:36.380583035Z", ...} */
static int64_t time_of_day(const char *line)
{
    const char *at = line + sizeof "{\"time\":\"2026-11-21T" - 1;
    return (digits(at, 2) * 3600 + digits(at + 3, 2) * 60 + digits(at + 6, 2)) * SECOND +
           digits(at + 9, 9);
}

size_t probe_find(const char *lines, size_t size, int64_t now_ns, double *latencies, size_t most)
{
    static const char beginning[] = "{\"time\":\"2026-11-21T06:43:36.380583035Z\",\"name\":\"";
    enum { BEFORE = sizeof beginning - 1, NAME = sizeof PROBE_NAME "\"" - 1 };
    size_t found = 0;
    const char *end = lines + size;
    for (const char *line = lines; line < end && found < most;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL)
            break;
        if (newline - line > BEFORE + NAME && memcmp(line + BEFORE, PROBE_NAME "\"", NAME) == 0) {
            latencies[found++] = (double)((now_ns - time_of_day(line)) % DAY);
        }
        line = newline + 1;
    }
    return found;
}
