/*
 * The keys in a sink's URL: where its records go, and how they are written.
 *
 * Config reads them from the URL (config/sink_keys.h); then they are complete, checked and
 * constant. The sink, its writer and its destination share one struct by pointer, and the struct
 * outlives them.
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

/* The bytes for the values of a destination's own keys (own_keys in destination.h). */
#define SINK_OWN_SIZE 256

struct sink_settings {
    struct file_options file;
    struct relay_options relay;
    struct delivery_options delivery;
    struct http_options http;
    struct client_tls tls;
    struct broker_options broker;
    uint64_t flush_interval; /* nanoseconds to collect records before writing; 0: only while more
                                records are queued */
    bool at_once;            /* flush_interval=0 was written: no record may wait */
    const struct encoder_ops *encoder;
    struct encoder_options encoding;

    /* The destination's own struct. The offsets in its own_keys are offsets in this struct. */
    _Alignas(16) unsigned char own[SINK_OWN_SIZE];
};

#endif
