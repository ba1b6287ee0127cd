/*
 * A destination that takes datagrams whole. Only the sink's thread calls it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_RELAY_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct destination;

/* What became of a datagram that a relay was given. */
enum relay_outcome {
    RELAY_SENT,      /* to its target, or to all of them */
    RELAY_TOO_LARGE, /* it is longer than a way takes */
    RELAY_NO_SOURCE, /* its source cannot be kept: it is of another family */
    RELAY_FAILED,    /* the system did not send it */
};

struct relay_datagram {
    struct address source; /* who sent it first */
    const uint8_t *data;
    size_t size;

    /* Filled by the relay. Where it did not reach all targets, some may have it. */
    enum relay_outcome outcome;
    size_t sent; /* how many targets have it */
};

/* Datagrams that a relay is given at a time, at most. */
#define RELAY_MOST 64

struct relay_ops {
    /*
     * Sends `count` (1 to RELAY_MOST) datagrams in their order, without waiting. Returns true when
     * each of them has its fate; `error` says why where one was not sent. Returns false where the
     * system has no room now: it is called again with the same ones, and no others before.
     */
    bool (*send)(struct destination *destination, struct relay_datagram *datagrams, size_t count,
                 struct error *error);

    /* Those that are on their way are given up: each has a fate, with the error as above. */
    void (*cancel)(struct destination *destination, struct relay_datagram *datagrams, size_t count);
};

#endif
