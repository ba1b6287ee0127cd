/*
 * Limits the memory of TLS handshakes, before anything is known about the peer.
 *
 * OpenSSL's memory for a connection depends on the client's input: on its hello, which is limited
 * (tls_hello.h), and on certificates. TLS_CONNECTION_MEMORY bytes are planned for each connection.
 * The part of a handshake's memory above TLS_OPEN_MEMORY is counted against the plan of all
 * connections of the listener. If too many handshakes take much memory at a time, the next one
 * fails. A listener's connections therefore never take more memory than planned.
 *
 * Hosts share the plan as they share large blocks (stream_blocks.h): a host whose handshakes have
 * reserved memory reserves more only while more is free than it has. One host therefore leaves
 * about half to other hosts, a second host half of the rest, and so on. Memory for the client's
 * certificates is reserved when they arrive. Until then most handshakes reserve little, so that
 * many clients of one host can connect at a time.
 *
 * The listener and each of its handshakes hold a reference to the budget. Any thread may call the
 * functions, but only one thread at a time may use a handshake.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/tls_hello.h"

/*
 * Bytes, rounded up from measurements of OpenSSL 3.0 and 3.5. An open connection takes 12 to 23 KiB
 * with 3.0, and 31 KiB while a record is incomplete; with 3.5 it takes 12 to 15 KiB more, of which
 * 6 KiB are the client's ML-KEM key, which OpenSSL keeps. A handshake takes at most 54 KiB in
 * addition to what is counted. Both versions have the same plan, so that a configuration that is
 * accepted stays acceptable after an upgrade of the system.
 */
#define TLS_CONNECTION_MEMORY ((size_t)80 * 1024)
#define TLS_OPEN_MEMORY       ((size_t)60 * 1024)

/*
 * The upper limit of a handshake in bytes, with record headers. Two hellos and certificates take 33
 * KiB.
 */
#define TLS_HANDSHAKE_MOST ((size_t)64 * 1024)

struct stream_share;
struct tls_budget;

/* Creates a budget for at most this number of open connections. Returns NULL if out of memory. */
struct tls_budget *tls_budget_create(size_t connections);

/* Releases the listener's reference. The last reference frees the budget. NULL is allowed. */
void tls_budget_leave(struct tls_budget *budget);

/* Bytes to reserve for the certificates that the listener sends, and for those of a client. */
struct tls_handshake_sizes {
    size_t chain, certificates;
};

struct tls_handshake {
    struct tls_hello hello;
    size_t taken;              /* number of bytes received so far */
    struct tls_budget *budget; /* NULL after the handshake */
    struct stream_share *share;
    struct tls_handshake_sizes sizes;
    size_t reserved;
};

/* Begins a zeroed handshake. `share` belongs to the peer's host, and must outlive the handshake. */
void tls_handshake_begin(struct tls_handshake *handshake, struct tls_budget *budget,
                         struct stream_share *share, const struct tls_handshake_sizes *sizes);

/*
 * Checks the next bytes received. `is_old` is true if TLS 1.2 was negotiated. Returns NULL if
 * OpenSSL may have the bytes, otherwise a text that names the limit that the client exceeded.
 */
const char *tls_handshake_read(struct tls_handshake *handshake, const uint8_t *bytes, size_t size,
                               bool is_old);

/* Ends the handshake, after it or its connection has ended. Further calls have no effect. */
void tls_handshake_end(struct tls_handshake *handshake);

#endif
