/*
 * The state of a DTLS server, internal to it. dtls_server.c handles records and sessions,
 * dtls_handshake.c handshakes; dtls_association.c has the functions that both use.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_SERVER_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_SERVER_H

#include "collector/log/log.h"
#include "collector/receive/dtls.h"
#include "collector/receive/dtls_bio.h"
#include "collector/receive/dtls_cookie.h"
#include "collector/receive/dtls_peers.h"
#include "collector/receive/dtls_settings.h"
#include "collector/receive/dtls_time.h"

/* The upper limit of a record's contents in bytes (RFC 5246, 6.2.1). */
#define DTLS_PLAIN_MOST (1 << 14)

/*
 * Bytes that OpenSSL allocates for a session and for a handshake, rounded up from measurements. A
 * session with certificates of both sides takes 47 KiB with OpenSSL 3.0 and 73 KiB with 3.5; the
 * plan covers both (tls_handshake.h).
 */
#define DTLS_SESSION_MEMORY   ((size_t)96 * 1024)
#define DTLS_HANDSHAKE_MEMORY ((size_t)256 * 1024)

struct dtls_server {
    struct dtls_server_options options;
    const struct tls_library *library;
    struct dtls_wire wire;
    struct dtls_cookies cookies;
    struct dtls_peers peers;
    struct dtls_time time;
    struct dtls_peer *shaking; /* the client whose handshake OpenSSL is working on */
    int64_t due_ns;            /* monotonic time before which no handshake or session is due */
    int64_t idle_ns;           /* the setting with which `due_ns` was computed */
    struct log_limit log, log_names;
    uint8_t plain[DTLS_PLAIN_MOST];
};

struct dtls_server *dtls_server_create(const struct dtls_server_options *options);
void dtls_server_destroy(struct dtls_server *server);
enum dtls_outcome dtls_server_take(struct dtls_server *server, const struct dtls_input *input,
                                   struct dtls_plain *plain);
int64_t dtls_server_expire(struct dtls_server *server, int64_t now_ns);
void dtls_server_finish(struct dtls_server *server);

/* Prepares a call of OpenSSL for this client. OpenSSL may read `input`, unless it is NULL. */
void dtls_begin_call(struct dtls_server *server, const struct dtls_peer *peer,
                     const struct dtls_record *input);

/*
 * Ends the session and adds to the counter `ended`. If `orderly`, notifies the client. The client
 * may then be gone from the table.
 */
void dtls_session_end(struct dtls_server *server, struct dtls_peer *peer, struct counter *ended,
                      bool orderly);

/* Notes that a handshake or a session is due at this time. */
void dtls_due(struct dtls_server *server, int64_t due_ns);

#endif
