/*
 * The socket of a DTLS server as OpenSSL sees it (BIO_meth_new(3)): each read returns the one
 * record that the server is handling, and each write is a datagram to its client.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_BIO_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_BIO_H

#include "collector/receive/dtls.h"
#include "collector/receive/tls_library.h"

/*
 * The state that all associations of a server share. For each call of OpenSSL the server sets all
 * members except `options`.
 */
struct dtls_wire {
    const struct dtls_record *input; /* the record that OpenSSL has not read yet; NULL: none */
    const struct address *from, *to; /* the addresses of answers; NULL: no answer is sent */
    const struct dtls_server_options *options;
};

/* Main thread. Makes the method for all servers. Returns false if out of memory. */
bool dtls_bio_prepare(const struct tls_library *library);

/* Gives the association a BIO that works on the wire. Returns false if out of memory. */
bool dtls_bio_attach(const struct tls_library *library, SSL *ssl, struct dtls_wire *wire);

#endif
