/*
 * DTLS 1.2 over UDP (RFC 6347): the server's side of one socket.
 *
 * The records of a datagram are handled one by one. A record of a session is decrypted; all others
 * are messages of a handshake, or are refused. A client must first prove by a cookie that it
 * receives at its address. Before that, no memory is kept for it, and no answer is longer than its
 * request. There are limits on the number of sessions and of handshakes, on the messages of a
 * handshake, and on the thread's time for handshakes, which hosts share. There is no renegotiation,
 * no resumption and no compression.
 *
 * This is a table of functions, because a program can be built without OpenSSL.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/ledger/ledger.h"
#include "collector/receive/dtls_record.h"

struct dtls_server;
struct dtls_settings;

/* The values of the listener's configuration keys from which its settings are made. */
struct dtls_options {
    const char *cert, *key, *client_ca; /* as in struct channel_tls_options; NULL: none */
    const char *keys;                   /* a file with pre-shared keys; NULL: none */
    int64_t idle_ns;                    /* a session ends after this time without a datagram */
};

/* The most handshakes of a socket at a time, and how long each may take (nanoseconds). */
#define DTLS_HANDSHAKES_MOST 64
#define DTLS_HANDSHAKE_NS    INT64_C(15000000000)

struct dtls_server_options {
    const struct listener *listener; /* the listener, with its present settings (`dtls`) */
    struct ingest_counters *counters;
    /*
     * Sends a datagram without waiting, from the local address to the client. Returns false if it
     * was not sent; the client will repeat its request.
     */
    bool (*answer)(void *context, const struct address *from, const struct address *to,
                   const void *bytes, size_t size);
    void *context;
};

/* A record, and the addresses of its datagram. */
struct dtls_input {
    struct dtls_record record;
    const struct address *source, *destination;
    int64_t now_ns; /* monotonic */
};

enum dtls_outcome {
    DTLS_PLAIN,      /* *plain has the contents */
    DTLS_SERVED,     /* the record was a message of DTLS itself */
    DTLS_NO_SESSION, /* the record's client has no session */
    DTLS_FORGED,     /* the record's tag is wrong */
    DTLS_REPLAYED,   /* a record with this number was received before */
    DTLS_REFUSED,    /* no handshake may begin now: a limit is reached */
};

/* Valid until the server's next call. */
struct dtls_plain {
    const uint8_t *bytes;
    size_t size;
    const char *sender; /* the name that the client has proved; NULL: none */
};

struct dtls_functions {
    /* Main thread. Loads OpenSSL. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG). */
    int (*load)(struct error *error);

    /*
     * Main thread. Reads the files. Returns 0 with *settings, or -1 with `error` filled, which
     * names the key, its file and the fault. The owner frees the settings when no server uses them;
     * existing sessions do not need them. `free` allows NULL.
     */
    int (*make)(const struct dtls_options *options, struct dtls_settings **settings,
                struct error *error);
    void (*free)(struct dtls_settings *settings);

    /* The most bytes that a server, and OpenSSL for it, allocates. */
    size_t (*memory)(size_t sessions);

    /* Returns NULL if out of memory. */
    struct dtls_server *(*create)(const struct dtls_server_options *options);
    /* Ends all sessions without a message. NULL is allowed. */
    void (*destroy)(struct dtls_server *server);

    /* Handles a record. One thread at a time, as for the functions after it. */
    enum dtls_outcome (*take)(struct dtls_server *server, const struct dtls_input *input,
                              struct dtls_plain *plain);

    /*
     * Repeats messages that clients have not answered, and ends overdue handshakes and idle
     * sessions. Returns when it must be called again; INT64_MAX: not before the next record. Times
     * are monotonic.
     */
    int64_t (*expire)(struct dtls_server *server, int64_t now_ns);

    /* Tells all clients that their sessions end, because the socket will be closed. */
    void (*finish)(struct dtls_server *server);
};

/* NULL: this program was built without OpenSSL. */
extern const struct dtls_functions *const dtls_functions;

#endif
