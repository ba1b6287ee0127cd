#include "tools/bench/encoding.h"

#include <stdlib.h>

#include "collector/contract/encoder.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/record/batch.h"
#include "proto/message/decode.h"
#include "sinks/sinks.h"
#include "tools/bench/statistics.h"
#include "tools/bench/timing.h"

#define ARENA_SIZE  ((size_t)256 * 1024 * 1024)
#define OUTPUT_SIZE ((size_t)1024 * 1024)

/* The datagrams of a workload, decoded. */
struct records {
    struct arena arena;
    struct record *first;
    struct packet *packets;
    size_t count;
};

/* What is measured: an encoder with a view, writing over and over the same memory. */
struct encoding {
    const struct records *records;
    struct encoder *encoder;
    struct output out;
    struct encoded encoded; /* in one pass */
    size_t bytes;           /* the same */
};

static const struct listener listener = {.name = "udp://127.0.0.1:5555"};

static bool decode_all(const struct workload *workload, struct records *records)
{
    const struct schema *schema = workload->schema;
    records->arena = (struct arena){.base = malloc(ARENA_SIZE), .capacity = ARENA_SIZE};
    records->first = calloc(workload->count, sizeof *records->first);
    records->packets = calloc(workload->count, sizeof *records->packets);
    if (records->arena.base == NULL || records->first == NULL || records->packets == NULL)
        return false;
    for (size_t i = 0; i < workload->count; i++) {
        const uint8_t *data = workload->bytes + workload->offsets[i];
        size_t size = workload->offsets[i + 1] - workload->offsets[i];
        struct decoded decoded;
        if (schema->ops->decode(schema, data, size, &records->arena, &decoded) != DECODE_OK)
            continue;
        struct packet *packet = &records->packets[records->count];
        struct record *record = &records->first[records->count++];
        static const uint8_t local[4] = {127, 0, 0, 1};
        *packet = (struct packet){data, (uint32_t)size, address_from_ipv4(local, 5555)};
        *record = (struct record){.schema = schema,
                                  .message = decoded.message,
                                  .data = data,
                                  .packet = packet,
                                  .size = (uint32_t)size,
                                  .source = address_from_ipv4(local, 40000),
                                  .received_ns = INT64_C(1767225600123456789) + (int64_t)i};
    }
    return records->count != 0;
}

static void free_records(struct records *records)
{
    free(records->arena.base);
    free(records->first);
    free(records->packets);
}

static void go_through(void *context)
{
    struct encoding *encoding = context;
    encoding->encoded = (struct encoded){0};
    encoding->bytes = 0;
    for (size_t i = 0; i < encoding->records->count; i++) {
        struct output *out = &encoding->out;
        out->used = 0;
        out->overflow = false;
        struct encoded encoded = encoding->encoder->ops->encode(encoding->encoder, &listener,
                                                                &encoding->records->first[i], out);
        encoding->encoded.lines += encoded.lines;
        encoding->bytes += out->used;
    }
}

/* --- the encoders ----------------------------------------------------------------------------- */

/* json shows messages, too, which is another thing to measure. */
static int make_encoders(const struct schema *schema, struct encoding *encodings,
                         struct encoding_cost *costs)
{
    int count = 0;
    for (int message = 0; message < 2; message++) {
        for (size_t i = 0; builtin_encoders[i] != NULL; i++) {
            const struct encoder_ops *ops = builtin_encoders[i];
            const struct encoder_options options = {.view = message ? VIEW_MESSAGE : VIEW_AUTO};
            if ((message && ops != &encoder_json) || count == ENCODING_MOST)
                continue;
            encodings[count].encoder = ops->create(&options);
            if (encodings[count].encoder == NULL)
                return -1;
            bool samples = ops->needs_samples || (ops == &encoder_json && !message);
            costs[count] = (struct encoding_cost){.name = message ? "message" : ops->name,
                                                  .able = schema->has_samples || !samples};
            count++;
        }
    }
    return count;
}

static void measure(struct encoding *encodings, struct encoding_cost *costs, int count,
                    size_t rounds, int64_t round_ns, double *times)
{
    for (size_t round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            if (costs[i].able)
                times[(size_t)i * rounds + round] =
                    timing_round(go_through, &encodings[i], round_ns);
    for (int i = 0; i < count; i++) {
        if (!costs[i].able)
            continue;
        double records = (double)encodings[i].records->count;
        costs[i].nanoseconds = spread_of(times + (size_t)i * rounds, rounds).median / records;
        costs[i].lines = (double)encodings[i].encoded.lines / records;
        costs[i].bytes = (double)encodings[i].bytes / records;
    }
}

int encoding_measure(const struct workload *workload, size_t rounds, int64_t round_ns,
                     struct encoding_cost costs[ENCODING_MOST], struct error *error)
{
    struct records records = {0};
    struct encoding encodings[ENCODING_MOST] = {0};
    char *memory = malloc(OUTPUT_SIZE);
    double *times = malloc(ENCODING_MOST * rounds * sizeof *times);
    int count = -1;
    if (memory != NULL && times != NULL && decode_all(workload, &records))
        count = make_encoders(workload->schema, encodings, costs);
    for (int i = 0; i < ENCODING_MOST; i++) {
        encodings[i].records = &records;
        encodings[i].out = (struct output){.data = memory, .capacity = OUTPUT_SIZE};
    }
    if (count >= 0)
        measure(encodings, costs, count, rounds, round_ns, times);
    else
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: no records, or no memory for them",
                  workload->name);
    for (int i = 0; i < ENCODING_MOST; i++)
        if (encodings[i].encoder != NULL)
            encodings[i].encoder->ops->destroy(encodings[i].encoder);
    free_records(&records);
    free(memory);
    free(times);
    return count;
}
