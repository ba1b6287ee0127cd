/*
 * What decoding costs: our decoder beside protobuf_c_message_unpack, which is the yardstick, on the
 * same bytes in turn. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_DECODING_H
#define SLUICE_TOOLS_BENCH_DECODING_H

#include "tools/bench/workload.h"

enum decoding_way {
    DECODING_OURS,          /* message_decode into an arena */
    DECODING_UNPACK_ARENA,  /* protobuf-c's unpack, its allocator the same arena */
    DECODING_UNPACK_MALLOC, /* protobuf-c's unpack and free, as a plain user calls them */
    DECODING_WAYS
};

struct decoding_cost {
    double nanoseconds[DECODING_WAYS]; /* a datagram: the median of the rounds */
    double memory[DECODING_WAYS];      /* bytes of the arena a datagram; malloc: 0 */
    size_t refused[DECODING_WAYS];     /* datagrams that this way did not decode */
};

/*
 * Measures in `rounds` rounds of at least `round_ns` nanoseconds for each way, the ways in turn.
 * Returns 0, or -1 with `error` filled.
 */
int decoding_measure(const struct workload *workload, size_t rounds, int64_t round_ns,
                     struct decoding_cost *cost, struct error *error);

#endif
