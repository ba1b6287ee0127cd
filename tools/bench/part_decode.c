/*
 * Measures decoding: sluice's decoder and, for comparison, protobuf_c_message_unpack decode the
 * same bytes in turn.
 */
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#include "proto/message/decode.h"
#include "proto/message_schema.h"
#include "proto/schemas.h"
#include "tools/bench/bench.h"
#include "tools/bench/table.h"
#include "tools/bench/timing.h"
#include "tools/bench/traffic.h"

#define ARENA_SIZE ((size_t)1024 * 1024)

struct decoding {
    const struct message_type *type;
    uint8_t bytes[TRAFFIC_SIZE_MOST];
    size_t size;
    struct arena arena;
    bool refused; /* a decoder refused the datagram */
};

static void ours(void *context)
{
    struct decoding *decoding = context;
    struct decoded decoded;
    decoding->arena.used = 0;
    if (message_decode(decoding->type, decoding->bytes, decoding->size, SCHEMA_MAX_DEPTH,
                       &decoding->arena, &decoded) != DECODE_OK)
        decoding->refused = true;
}

static void *allocate(void *context, size_t size)
{
    return arena_allocate(context, size);
}

static void keep(void *context, void *block)
{
    (void)context;
    (void)block;
}

static void unpack_into_arena(void *context)
{
    struct decoding *decoding = context;
    ProtobufCAllocator allocator = {
        .alloc = allocate, .free = keep, .allocator_data = &decoding->arena};
    decoding->arena.used = 0;
    if (protobuf_c_message_unpack(decoding->type->descriptor, &allocator, decoding->size,
                                  decoding->bytes) == NULL)
        decoding->refused = true;
}

/* Decodes as users of protobuf-c usually do, with malloc and free. */
static void unpack_and_free(void *context)
{
    struct decoding *decoding = context;
    ProtobufCMessage *message = protobuf_c_message_unpack(decoding->type->descriptor, NULL,
                                                          decoding->size, decoding->bytes);
    if (message == NULL)
        decoding->refused = true;
    protobuf_c_message_free_unpacked(message, NULL);
}

enum way { OURS, UNPACK_ARENA, UNPACK_MALLOC, WAYS };

static void (*const ways[WAYS])(void *context) = {
    [OURS] = ours, [UNPACK_ARENA] = unpack_into_arena, [UNPACK_MALLOC] = unpack_and_free};

static void measure(const struct bench *bench, struct decoding *decoding,
                    const struct traffic *traffic, const struct table *table)
{
    struct series ns[WAYS] = {{.count = 0}};
    size_t memory[WAYS];
    for (uint64_t round = 0; round < bench->settings.rounds; round++)
        for (int way = 0; way < WAYS; way++) {
            series_add(&ns[way], timing_round(ways[way], decoding, bench_stage_ns(bench)));
            memory[way] = decoding->arena.used;
        }
    const struct table_cell cells[] = {
        table_word(traffic->name),
        table_number(spread_of(&ns[OURS]).median),
        table_number(spread_of(&ns[UNPACK_ARENA]).median),
        table_number(spread_of(&ns[UNPACK_MALLOC]).median),
        table_number(spread_of_ratios(&ns[OURS], &ns[UNPACK_ARENA]).median),
        table_number((double)memory[OURS]),
        table_number((double)memory[UNPACK_ARENA]),
    };
    table_row(table, cells);
}

static int measure_traffic(const struct bench *bench, struct decoding *decoding,
                           const struct traffic *traffic, const struct table *table,
                           struct error *error)
{
    if (traffic_datagram(traffic, decoding->bytes, error) != 0)
        return -1;
    decoding->size = traffic->size;
    measure(bench, decoding, traffic, table);
    if (!decoding->refused)
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "%s: a decoder refused the datagram", traffic->name);
    return -1;
}

int part_decode(struct bench *bench, struct error *error)
{
    static const struct table_column columns[] = {
        {"datagram", -8, 0}, {"ours", 6, 0},   {"arena", 6, 0},   {"malloc", 6, 0},
        {"/ arena", 7, 2},   {"ours B", 6, 0}, {"arena B", 7, 0},
    };
    static struct decoding decoding;
    const struct schema_options options = {.source = schema_telemetry.name};
    struct schema *schema;
    if (schema_telemetry.create(&options, &schema, error) != 0)
        return -1;
    decoding.type = ((const struct message_schema *)schema)->type;
    decoding.arena = (struct arena){.base = malloc(ARENA_SIZE), .capacity = ARENA_SIZE};
    int result = -1;
    if (decoding.arena.base == NULL) {
        error_no_memory(error);
    } else {
        struct table table =
            table_begin(stdout,
                        "Decoding: ns a datagram; ours, and protobuf-c's unpack in the same arena "
                        "and with malloc",
                        columns, sizeof columns / sizeof columns[0]);
        result = measure_traffic(bench, &decoding, &traffic_metric1, &table, error);
        if (result == 0)
            result = measure_traffic(bench, &decoding, &traffic_batch20, &table, error);
    }
    free(decoding.arena.base);
    schema->ops->destroy(schema);
    return result;
}
