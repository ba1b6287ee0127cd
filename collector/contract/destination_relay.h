/* A destination that forwards whole datagrams. Only the sink's thread calls it. */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_RELAY_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct destination;

/* The outcome of a datagram. */
enum relay_outcome {
    RELAY_SENT,      /* it was sent to its target, or to all targets */
    RELAY_TOO_LARGE, /* too large for the path to a target (EMSGSIZE) */
    RELAY_NO_SOURCE, /* keep_source: the source and the target have different address families */
    RELAY_FAILED,    /* the system call failed */
};

struct relay_datagram {
    struct address source; /* the original sender */
    const uint8_t *data;
    size_t size;

    /* Filled by the relay. If the outcome is not RELAY_SENT, some targets may have the datagram. */
    enum relay_outcome outcome;
    size_t sent; /* number of targets to which it was sent */
};

/* The maximum number of datagrams in one call of send. */
#define RELAY_MOST 64

struct relay_ops {
    /*
     * Sends `count` (1 to RELAY_MOST) datagrams in order, without waiting. Returns true when each
     * datagram has its outcome; `error` has the reason if one was not sent. Returns false if the
     * socket buffer is full. The caller must then call send with the same datagrams, or cancel,
     * before it sends other datagrams.
     */
    bool (*send)(struct destination *destination, struct relay_datagram *datagrams, size_t count,
                 struct error *error);

    /*
     * Gives up the datagrams for which send returned false: fills their outcomes, and `error` as
     * send does.
     */
    void (*cancel)(struct destination *destination, struct relay_datagram *datagrams, size_t count);
};

#endif
