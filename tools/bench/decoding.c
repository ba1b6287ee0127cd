#include "tools/bench/decoding.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdlib.h>

#include "proto/message/decode.h"
#include "proto/message_schema.h"
#include "tools/bench/statistics.h"
#include "tools/bench/timing.h"

#define ARENA_SIZE ((size_t)32 * 1024 * 1024)

struct decoding {
    const struct workload *workload;
    const struct message_type *type;
    struct arena arena;
};

static void *allocate(void *context, size_t size)
{
    return arena_allocate(context, size);
}

static void keep(void *context, void *block)
{
    (void)context;
    (void)block;
}

static bool unpack_and_free(const struct decoding *decoding, const uint8_t *data, size_t size)
{
    ProtobufCMessage *message =
        protobuf_c_message_unpack(decoding->type->descriptor, NULL, size, data);
    protobuf_c_message_free_unpacked(message, NULL);
    return message != NULL;
}

static bool decode(struct decoding *decoding, enum decoding_way way, const uint8_t *data,
                   size_t size)
{
    struct decoded decoded;
    ProtobufCAllocator allocator = {
        .alloc = allocate, .free = keep, .allocator_data = &decoding->arena};
    decoding->arena.used = 0;
    switch (way) {
    case DECODING_OURS:
        return message_decode(decoding->type, data, size, SCHEMA_MAX_DEPTH, &decoding->arena,
                              &decoded) == DECODE_OK;
    case DECODING_UNPACK_ARENA:
        return protobuf_c_message_unpack(decoding->type->descriptor, &allocator, size, data) !=
               NULL;
    case DECODING_UNPACK_MALLOC:
        return unpack_and_free(decoding, data, size);
    case DECODING_WAYS:
        break;
    }
    return false;
}

/* One way, once through all datagrams. */
struct pass {
    struct decoding *decoding;
    enum decoding_way way;
    struct decoding_cost *cost;
};

static void go_through(void *context)
{
    const struct pass *pass = context;
    const struct workload *workload = pass->decoding->workload;
    size_t refused = 0;
    size_t memory = 0;
    for (size_t i = 0; i < workload->count; i++) {
        size_t from = workload->offsets[i];
        refused += !decode(pass->decoding, pass->way, workload->bytes + from,
                           workload->offsets[i + 1] - from);
        memory += pass->decoding->arena.used;
    }
    pass->cost->refused[pass->way] = refused;
    pass->cost->memory[pass->way] = (double)memory / (double)workload->count;
}

int decoding_measure(const struct workload *workload, size_t rounds, int64_t round_ns,
                     struct decoding_cost *cost, struct error *error)
{
    struct decoding decoding = {
        .workload = workload,
        .type = ((const struct message_schema *)workload->schema)->type,
        .arena = {.base = malloc(ARENA_SIZE), .capacity = ARENA_SIZE},
    };
    double *times = malloc(DECODING_WAYS * rounds * sizeof *times);
    bool good = decoding.arena.base != NULL && times != NULL && workload->count != 0;
    for (size_t round = 0; good && round < rounds; round++)
        for (int way = 0; way < DECODING_WAYS; way++) {
            struct pass pass = {&decoding, (enum decoding_way)way, cost};
            times[(size_t)way * rounds + round] = timing_round(go_through, &pass, round_ns);
        }
    for (int way = 0; good && way < DECODING_WAYS; way++)
        cost->nanoseconds[way] =
            spread_of(times + (size_t)way * rounds, rounds).median / (double)workload->count;
    free(decoding.arena.base);
    free(times);
    if (!good)
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: no datagrams, or no memory for them",
                  workload->name);
    return good ? 0 : -1;
}
