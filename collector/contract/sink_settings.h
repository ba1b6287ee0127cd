/*
 * The keys in a sink's URL: where its records go, and how they are written.
 *
 * Read from the keys by config (config/sink_keys.h), complete and checked, then constant. The sink,
 * its writer and its destination share one by pointer, and it outlives them.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SINK_SETTINGS_H
#define SLUICE_COLLECTOR_CONTRACT_SINK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "collector/contract/delivery.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"

/* Bytes for the keys that a destination declares itself (own_keys in destination.h). */
#define SINK_OWN_SIZE 256

struct sink_settings {
    struct file_options file;
    struct relay_options relay;
    struct delivery_options delivery;
    struct http_options http;
    struct client_tls tls;
    struct broker_options broker;
    uint64_t flush_interval; /* nanoseconds that records may be collected for; 0: while more come */
    bool at_once;            /* no record may be late: flush_interval=0 was written */
    const struct encoder_ops *encoder;
    struct encoder_options encoding;

    /* The destination's own struct, which the offsets of its own_keys are about. */
    _Alignas(max_align_t) unsigned char own[SINK_OWN_SIZE];
};

#endif
