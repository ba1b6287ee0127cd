/*
 * TLS 1.2 and 1.3 over TCP (RFC 5246, RFC 8446), as a kind of channel (collector/receive/
 * stream_channel.h).
 *
 * There is no renegotiation, no compression and no cache of sessions: a client that comes again
 * brings what it needs in a ticket. CMake picks the implementation: by OpenSSL, or none.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H
#define SLUICE_COLLECTOR_RECEIVE_CHANNEL_TLS_H

#include <stddef.h>

#include "collector/base/error.h"
#include "collector/receive/stream_channel.h"

struct channel_tls_options {
    /* Files in PEM. */
    const char *cert;      /* the listener's certificate first, then those that lead to its root */
    const char *key;       /* its private key, not encrypted */
    const char *client_ca; /* who signs clients' certificates, which are wanted then; NULL: none */

    size_t connections; /* at a time: for so many there is memory */
};

/*
 * The library and its version, "OpenSSL 3.0.19", or that this system has none; NULL: this program
 * can use none. Main thread.
 */
const char *channel_tls_library(void);

/* Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG): "tls=on: ...". Main thread. */
int channel_tls_can(struct error *error);

/*
 * Reads the files and fills *kind, whose `end` frees it. Returns 0, or -1 with `error` filled: it
 * names the key, its file and what is wrong (EXIT_CODE_CONFIG). Main thread.
 */
int channel_tls_kind(const struct channel_tls_options *options, struct channel_kind *kind,
                     struct error *error);

/* The most bytes that OpenSSL takes for a listener with `connections`, and for itself. */
size_t channel_tls_memory(size_t connections);

#endif
