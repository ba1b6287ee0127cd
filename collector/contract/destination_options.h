/*
 * What a destination is made from, and how it is then going to take records.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_OPTIONS_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "collector/contract/delivery.h"
#include "collector/contract/destination_settings.h"
#include "collector/platform/wakeup.h"

struct encoder_ops;
struct sink_counters;

/* What a destination is made from. All of it outlives the destination. */
struct destination_options {
    const char *name;   /* of the sink, for the log */
    const char *scheme; /* the destination's */
    const char *path;
    struct file_options file;
    struct relay_options relay;
    struct http_options http;
    struct client_tls tls;
    struct broker_options broker;
    uint64_t timeout_ns;       /* of a delivery: how long a block is sent for */
    bool spills;               /* of a delivery: it is sent without end, what waits lies on disk */
    enum delivery_retry retry; /* of a delivery: whether what may be there is sent again */
    size_t in_flight;          /* of a delivery: blocks that are handed over at a time, at most */
    size_t block_size;         /* of a delivery: bytes of a block, at most */
    uint64_t flush_interval;   /* nanoseconds that records may be collected for */
    uint64_t stall_timeout_ns; /* what a reader that is replaced gets to read the rest */
    const struct encoder_ops *encoder; /* what is written */

    /* Below: only for create, not for shape. */
    const char *head; /* what a file begins with */
    size_t head_size;
    struct sink_counters *counters;
    struct wakeup *wakeup; /* of the sink's thread: any thread may signal it */
};

/* Nanoseconds between two times that SYNC_INTERVAL is about. */
static inline int64_t file_sync_interval(const struct destination_options *options)
{
    const uint64_t second = 1000000000;
    return (int64_t)(options->flush_interval > second ? options->flush_interval : second);
}

/* How a destination is going to take records. */
struct destination_shape {
    size_t blocks;     /* of a file set: files that are filled at the same time; 0: it is none */
    size_t block_size; /* of a file set: bytes that are collected for each, if no record has more */
    bool arranged;     /* of a file set: a block is arranged, and written as a file of its own */
    size_t memory;     /* bytes that it takes, with its library's own, less the blocks */
};

#endif
