/*
 * TLS 1.2 and 1.3 over TCP (RFC 5246, RFC 8446), as a kind of channel
 * (collector/receive/stream_channel.h).
 *
 * There is no renegotiation, no compression and no session cache; a client that returns can resume
 * its session by a ticket.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H
#define SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H

#include <stddef.h>

#include "collector/base/error.h"
#include "collector/receive/stream_channel.h"

struct channel_tls_options {
    /* Files in PEM. */
    const char *cert;      /* the listener's certificate, followed by those up to its root */
    const char *key;       /* the listener's private key, not encrypted */
    const char *client_ca; /* the authorities of clients' certificates, which clients must then
                              present; NULL: no certificate is required */

    size_t connections; /* the most connections at a time; memory is planned for them */
};

/* All functions are for the main thread. */
struct tls_channels {
    const char *(*library)(void); /* the version: "OpenSSL 3.0.19", or "OpenSSL (not on this
                                     system)" */

    /* Loads OpenSSL. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG): "tls=on: ...". */
    int (*load)(struct error *error);

    /*
     * Reads the files and fills *kind, whose `end` frees it. Returns 0, or -1 with `error` filled
     * (EXIT_CODE_CONFIG), which names the key, its file and the fault.
     */
    int (*make_kind)(const struct channel_tls_options *options, struct channel_kind *kind,
                     struct error *error);

    /* The most bytes that OpenSSL allocates for itself and for a listener with `connections`. */
    size_t (*memory)(size_t connections);
};

/* NULL: this program was built without OpenSSL. */
extern const struct tls_channels *const tls_channels;

#endif
