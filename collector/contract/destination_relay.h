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
    RELAY_SENT,      /* sent to its target, or to all targets */
    RELAY_TOO_LARGE, /* too large for the path to a target (EMSGSIZE) */
    RELAY_NO_SOURCE, /* keep_source: its source has another address family than the target */
    RELAY_FAILED,    /* the system call failed */
};

struct relay_datagram {
    struct address source; /* the original sender */
    const uint8_t *data;
    size_t size;

    /* Filled by the relay. If it is not RELAY_SENT, some of the targets may have it. */
    enum relay_outcome outcome;
    size_t sent; /* number of targets it was sent to */
};

/* Most datagrams of one send. */
#define RELAY_MOST 64

struct relay_ops {
    /*
     * Sends `count` (1 to RELAY_MOST) datagrams in order, without waiting. Returns true when each
     * has its outcome; `error` has the reason if one was not sent. Returns false if the socket
     * buffer is full: the caller must call it again with the same datagrams, or cancel them, before
     * sending others.
     */
    bool (*send)(struct destination *destination, struct relay_datagram *datagrams, size_t count,
                 struct error *error);

    /*
     * Gives up the datagrams of the send that returned false: gives each an outcome, with the error
     * as above.
     */
    void (*cancel)(struct destination *destination, struct relay_datagram *datagrams, size_t count);
};

#endif
