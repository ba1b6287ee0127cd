/*
 * The socket of a DTLS server as OpenSSL sees it (BIO_meth_new(3)). A read returns the record that
 * the server is handling. A write sends a datagram to the client of that record.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_BIO_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_BIO_H

#include "collector/receive/dtls.h"
#include "collector/receive/tls_library.h"

/*
 * Shared by all associations of a server. The server sets all members except `options` before each
 * call of OpenSSL.
 */
struct dtls_wire {
    const struct dtls_record *input; /* the record that OpenSSL has not read yet; may be NULL */
    const struct address *from, *to; /* addresses of answers; if NULL, no answer is sent */
    const struct dtls_server_options *options;
};

/* Main thread. Creates the BIO method for all servers. Returns false if out of memory. */
bool dtls_bio_prepare(const struct tls_library *library);

/* Gives the association a BIO that uses `wire`. Returns false if out of memory. */
bool dtls_bio_attach(const struct tls_library *library, SSL *ssl, struct dtls_wire *wire);

#endif
