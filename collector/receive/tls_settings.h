/*
 * The settings that all channels of a TLS listener share: certificate, key, clients' authorities
 * and options of the protocol. OpenSSL counts the references to `context`, so it lives as long as
 * the channels.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_SETTINGS_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/receive/channel_tls.h"
#include "collector/receive/tls_library.h"

/*
 * The upper limit in bytes of the certificates of one side, and of the names of clients'
 * authorities. Four certificates with RSA keys of 4,096 bits take half of it. No message of a
 * handshake is longer (tls_hello.h, dtls_record.h).
 */
#define TLS_CERTIFICATES_MOST ((size_t)16 * 1024)

struct tls_settings {
    const struct tls_library *library;
    bool datagrams; /* DTLS instead of TLS */
    SSL_CTX *context;
    size_t chain;        /* bytes of the certificates that the listener sends */
    size_t certificates; /* bytes to reserve for a client's certificates; 0 if none are requested */
};

/*
 * Fills a zeroed struct from the files; the caller has set `library` and `datagrams`. The options
 * must have a certificate, unless `datagrams` is set. Returns 0, or -1 with `error` filled. Call
 * tls_settings_end in either case. Main thread.
 */
int tls_settings_read(struct tls_settings *settings, const struct channel_tls_options *options,
                      struct error *error);
void tls_settings_end(struct tls_settings *settings);

#endif
