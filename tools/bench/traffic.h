/*
 * Makes the datagrams of the bench: telemetry messages like those of sluice-send. Their sizes never
 * change, so that rates and costs of different versions can be compared.
 */
#ifndef SLUICE_TOOLS_BENCH_TRAFFIC_H
#define SLUICE_TOOLS_BENCH_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include "tools/send/message.h"

struct traffic {
    const char *name;
    size_t samples;
    size_t size; /* bytes of a datagram */
};

extern const struct traffic traffic_metric1; /* one metric, 117 bytes */
extern const struct traffic traffic_batch20; /* twenty metrics, 1140 bytes */

/* The smallest message number that takes four bytes as a varint. */
#define TRAFFIC_FIRST_NUMBER UINT64_C(2097152)

#define TRAFFIC_SIZE_MOST 2048 /* maximum bytes of a datagram */

/*
 * Makes the template of the messages. Returns 0, or -1 with `error` filled. The caller clears the
 * template in both cases.
 */
int traffic_template(const struct traffic *traffic, struct message_template *made,
                     struct error *error);

/* Writes a datagram, always the same. Returns 0, or -1 with `error` filled. */
int traffic_datagram(const struct traffic *traffic, uint8_t bytes[TRAFFIC_SIZE_MOST],
                     struct error *error);

#endif
