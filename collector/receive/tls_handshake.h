/*
 * Limits the memory of TLS handshakes, before anything is known about the peer.
 *
 * OpenSSL's memory for a connection depends on the input from the client: on its hello, which is
 * limited (tls_hello.h), and on certificates. TLS_CONNECTION_MEMORY bytes are planned for each
 * connection. The part of a handshake's memory above TLS_OPEN_MEMORY is counted against the plan of
 * all connections of the listener. If too many handshakes take much memory at a time, the next
 * handshake fails. So a listener's connections never take more memory than planned.
 *
 * The plan is shared by host, as large blocks are (stream_blocks.h): a host whose handshakes have
 * reserved memory reserves more only while more is free than it has. So one host leaves about half
 * to other hosts, a second host half of that half, and so on. Memory for the client's certificates
 * is reserved when they arrive: until then most handshakes reserve little, so that many clients of
 * one host can connect at a time.
 *
 * The listener and each of its handshakes hold a reference to the budget. Functions are for any
 * thread, but only one thread at a time may use a handshake.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/tls_hello.h"

/*
 * Bytes, rounded up from measurements of OpenSSL 3.0 and 3.5. An open connection takes 12 to 23 KiB
 * with 3.0, and 31 KiB while a record is incomplete; with 3.5 12 to 15 KiB more, of which 6 KiB are
 * the client's ML-KEM key, which OpenSSL keeps. A handshake takes at most 54 KiB in addition to
 * what is counted. The same numbers are planned for both versions, so that a configuration that is
 * accepted is also accepted after an upgrade of the system.
 */
#define TLS_CONNECTION_MEMORY ((size_t)80 * 1024)
#define TLS_OPEN_MEMORY       ((size_t)60 * 1024)

/*
 * The most bytes of a handshake with its record headers; two hellos and certificates take 33 KiB.
 */
#define TLS_HANDSHAKE_MOST ((size_t)64 * 1024)

struct stream_share;
struct tls_budget;

/*
 * Creates a budget for `connections`, the most that may be open at a time. Returns NULL if out of
 * memory.
 */
struct tls_budget *tls_budget_create(size_t connections);

/*
 * Releases the listener's reference. The budget is freed with the last reference. NULL is allowed.
 */
void tls_budget_leave(struct tls_budget *budget);

/* The most bytes of the certificates that the listener sends, and that a client sends. */
struct tls_handshake_sizes {
    size_t chain, certificates;
};

struct tls_handshake {
    struct tls_hello hello;
    size_t taken;              /* bytes received so far */
    struct tls_budget *budget; /* NULL: the handshake has ended */
    struct stream_share *share;
    struct tls_handshake_sizes sizes;
    size_t reserved;
};

/* Begins a zeroed handshake. `share`, the share of the peer's host, must outlive the handshake. */
void tls_handshake_begin(struct tls_handshake *handshake, struct tls_budget *budget,
                         struct stream_share *share, const struct tls_handshake_sizes *sizes);

/*
 * Checks the next bytes received. `is_old`: TLS 1.2 was negotiated. Returns NULL if the bytes may
 * be passed to OpenSSL, otherwise the limit that the client exceeded, as text.
 */
const char *tls_handshake_read(struct tls_handshake *handshake, const uint8_t *bytes, size_t size,
                               bool is_old);

/* Ends the handshake, when it is over or its connection has ended. May be called again. */
void tls_handshake_end(struct tls_handshake *handshake);

#endif
