/* Measures the output formats: all encoders encode the same record in turn. */
#include <stdlib.h>

#include "collector/contract/encoder.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/record/batch.h"
#include "proto/message/decode.h"
#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tools/bench/bench.h"
#include "tools/bench/table.h"
#include "tools/bench/timing.h"
#include "tools/bench/traffic.h"

#define ENCODERS_MOST 16
#define ARENA_SIZE    ((size_t)1024 * 1024)
#define OUTPUT_SIZE   ((size_t)1024 * 1024)

/* A decoded datagram, and the state for encoding it. */
struct encoding {
    struct schema *schema;
    uint8_t bytes[TRAFFIC_SIZE_MOST];
    struct arena arena;
    struct packet packet;
    struct record record;
    struct output out;
    struct encoder *encoder;
    struct encoded encoded;
};

/* The cost of one encoder with one view (enum sink_view). */
struct cost {
    const char *name;
    struct encoder *encoder;
    struct series ns;
    double lines;
    double bytes;
};

struct costs {
    struct cost items[ENCODERS_MOST];
    size_t count;
};

static const struct listener listener = {.name = "udp://127.0.0.1:5555"};

static int decode(struct encoding *encoding, const struct traffic *traffic, struct error *error)
{
    static const uint8_t local[4] = {127, 0, 0, 1};
    struct decoded decoded;
    if (traffic_datagram(traffic, encoding->bytes, error) != 0)
        return -1;
    encoding->arena.used = 0;
    if (encoding->schema->ops->decode(encoding->schema, encoding->bytes, traffic->size,
                                      &encoding->arena, &decoded) != DECODE_OK) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: the datagram is not decoded", traffic->name);
        return -1;
    }
    encoding->packet =
        (struct packet){encoding->bytes, (uint32_t)traffic->size, address_from_ipv4(local, 5555)};
    encoding->record = (struct record){
        .schema = encoding->schema,
        .message = decoded.message,
        .data = encoding->bytes,
        .packet = &encoding->packet,
        .size = (uint32_t)traffic->size,
        .source = address_from_ipv4(local, 40000),
        .received_ns = INT64_C(1767225600123456789),
    };
    return 0;
}

static void encode(void *context)
{
    struct encoding *encoding = context;
    encoding->out.used = 0;
    encoding->encoded = encoding->encoder->ops->encode(encoding->encoder, &listener,
                                                       &encoding->record, &encoding->out);
}

/* --- the encoders ----------------------------------------------------------------------------- */

static bool add_encoder(struct costs *costs, const struct encoder_ops *ops, const char *name,
                        enum sink_view view)
{
    const struct encoder_options options = {.view = view};
    struct encoder *encoder = costs->count == ENCODERS_MOST ? NULL : ops->create(&options);
    if (encoder == NULL)
        return false;
    costs->items[costs->count++] = (struct cost){.name = name, .encoder = encoder};
    return true;
}

static int make_encoders(struct costs *costs, struct error *error)
{
    bool good = true;
    costs->count = 0;
    for (size_t i = 0; good && builtin_encoders[i] != NULL; i++)
        good = add_encoder(costs, builtin_encoders[i], builtin_encoders[i]->name, VIEW_AUTO);
    if (good && add_encoder(costs, &encoder_json, "message", VIEW_MESSAGE))
        return 0;
    return error_no_memory(error);
}

static void destroy_encoders(struct costs *costs)
{
    for (size_t i = 0; i < costs->count; i++)
        costs->items[i].encoder->ops->destroy(costs->items[i].encoder);
}

/* --- measuring -------------------------------------------------------------------------------- */

static void measure(const struct bench *bench, struct encoding *encoding, struct costs *costs)
{
    for (uint64_t round = 0; round < bench->settings.rounds; round++)
        for (size_t i = 0; i < costs->count; i++) {
            struct cost *cost = &costs->items[i];
            encoding->encoder = cost->encoder;
            series_add(&cost->ns, timing_round(encode, encoding, bench_stage_ns(bench)));
            cost->lines = (double)encoding->encoded.lines;
            cost->bytes = (double)encoding->out.used;
        }
}

static void report(const struct traffic *traffic, const struct costs *costs,
                   const struct table *table)
{
    for (size_t i = 0; i < costs->count; i++) {
        const struct cost *cost = &costs->items[i];
        const struct table_cell cells[] = {
            table_word(traffic->name),
            table_word(cost->name),
            table_number(spread_of(&cost->ns).median),
            table_number(cost->lines),
            table_number(cost->bytes),
        };
        table_row(table, cells);
    }
}

static int measure_traffic(const struct bench *bench, struct encoding *encoding,
                           const struct traffic *traffic, const struct table *table,
                           struct error *error)
{
    static struct costs costs;
    int result = decode(encoding, traffic, error);
    if (result != 0)
        return -1;
    result = make_encoders(&costs, error);
    if (result == 0) {
        measure(bench, encoding, &costs);
        report(traffic, &costs, table);
    }
    destroy_encoders(&costs);
    return result;
}

static int measure_all(const struct bench *bench, struct encoding *encoding, struct error *error)
{
    static const struct table_column columns[] = {
        {"datagram", -8, 0}, {"format", -12, 0}, {"ns", 6, 0}, {"lines", 5, 0}, {"bytes", 6, 0},
    };
    struct table table =
        table_begin(stdout, "Encoding: ns a record", columns, sizeof columns / sizeof columns[0]);
    if (measure_traffic(bench, encoding, &traffic_metric1, &table, error) != 0)
        return -1;
    return measure_traffic(bench, encoding, &traffic_batch20, &table, error);
}

int part_encode(struct bench *bench, struct error *error)
{
    static struct encoding encoding;
    const struct schema_options options = {.source = schema_telemetry.name};
    if (schema_telemetry.create(&options, &encoding.schema, error) != 0)
        return -1;
    encoding.arena = (struct arena){.base = malloc(ARENA_SIZE), .capacity = ARENA_SIZE};
    encoding.out = (struct output){.data = malloc(OUTPUT_SIZE), .capacity = OUTPUT_SIZE};
    bool room = encoding.arena.base != NULL && encoding.out.data != NULL;
    int result = room ? measure_all(bench, &encoding, error) : error_no_memory(error);
    free(encoding.arena.base);
    free(encoding.out.data);
    encoding.schema->ops->destroy(encoding.schema);
    return result;
}
