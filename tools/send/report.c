#include "tools/send/report.h"

#include <inttypes.h>

#include "collector/text/json_writer.h"

struct totals {
    uint64_t sent;
    double seconds;
    double rate;
};

static struct totals totals_of(const struct load_counts *counts)
{
    struct totals totals = {.sent = load_sent(counts), .seconds = (double)counts->elapsed_ns / 1e9};
    totals.rate = counts->elapsed_ns > 0 ? (double)totals.sent / totals.seconds : 0;
    return totals;
}

void report_write_line(const struct load_counts *counts, FILE *out)
{
    struct totals totals = totals_of(counts);
    fprintf(out,
            "sent %" PRIu64 " datagram%s (good %" PRIu64 ", malformed %" PRIu64 ", empty %" PRIu64
            ", oversized %" PRIu64 "), %" PRIu64 " samples, %" PRIu64
            " bytes in %.3f s, %.0f/s; failed %" PRIu64 ", retried %" PRIu64 ", refused %" PRIu64
            "\n",
            totals.sent, totals.sent == 1 ? "" : "s", counts->sent[DATAGRAM_GOOD],
            counts->sent[DATAGRAM_MALFORMED], counts->sent[DATAGRAM_EMPTY],
            counts->sent[DATAGRAM_OVERSIZED], counts->samples, counts->bytes, totals.seconds,
            totals.rate, counts->failed, counts->retried, counts->refused);
}

#define put_count(out, name, value) (json_key_literal((out), name), json_uint64((out), (value)))

void report_write_json(const struct load_counts *counts, FILE *out)
{
    char text[1024];
    struct output json = {.data = text, .capacity = sizeof text};
    struct totals totals = totals_of(counts);
    json_object_begin(&json);
    put_count(&json, "sent", totals.sent);
    put_count(&json, "good", counts->sent[DATAGRAM_GOOD]);
    put_count(&json, "malformed", counts->sent[DATAGRAM_MALFORMED]);
    put_count(&json, "empty", counts->sent[DATAGRAM_EMPTY]);
    put_count(&json, "oversized", counts->sent[DATAGRAM_OVERSIZED]);
    put_count(&json, "samples", counts->samples);
    put_count(&json, "bytes", counts->bytes);
    put_count(&json, "failed", counts->failed);
    put_count(&json, "retried", counts->retried);
    put_count(&json, "refused", counts->refused);
    json_key_literal(&json, "seconds");
    json_double(&json, totals.seconds);
    json_key_literal(&json, "rate");
    json_double(&json, totals.rate);
    json_object_end(&json);
    output_char(&json, '\n');
    fwrite(json.data, 1, json.used, out);
}
