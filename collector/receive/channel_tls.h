/*
 * TLS 1.2 and 1.3 over TCP (RFC 5246, RFC 8446), as a kind of channel (stream_channel.h).
 *
 * There is no renegotiation, no compression and no session cache. A client that returns can resume
 * its session with a ticket.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H
#define SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H

#include <stddef.h>

#include "collector/base/error.h"
#include "collector/receive/stream_channel.h"

struct channel_tls_options {
    /* Names of PEM files. */
    const char *cert; /* the listener's certificate, followed by the certificates up to its root */
    const char *key;  /* the listener's private key, not encrypted */
    const char *client_ca; /* authorities of clients' certificates; NULL if none is required */

    size_t connections; /* upper limit of connections at a time; memory is planned for them */
};

/* All functions are for the main thread. */
struct tls_channels {
    const char *(*library)(void); /* returns "OpenSSL 3.0.19" or "OpenSSL (not on this system)" */

    /* Loads OpenSSL. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG). */
    int (*load)(struct error *error);

    /*
     * Reads the files and fills *kind, whose `end` frees it. Returns 0, or -1 with `error` filled
     * (EXIT_CODE_CONFIG). The text names the key, its file and the fault.
     */
    int (*make_kind)(const struct channel_tls_options *options, struct channel_kind *kind,
                     struct error *error);

    /*
     * Returns the most bytes that OpenSSL allocates for itself and for a listener with this number
     * of connections.
     */
    size_t (*memory)(size_t connections);
};

/* NULL if this program was built without OpenSSL. */
extern const struct tls_channels *const tls_channels;

#endif
