/*
 * DTLS 1.2 over UDP (RFC 6347): the server's side of one socket.
 *
 * The records of a datagram are handled one by one. A record of a session is decrypted. Other
 * records are messages of a handshake, or are refused. A client must first prove by a cookie that
 * it receives at its address. Until then the server keeps no memory for it, and no answer is longer
 * than the request. The number of sessions and handshakes, the messages of a handshake, and the
 * thread's time for handshakes are limited. There is no renegotiation, no resumption and no
 * compression.
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

/* The configuration keys of a listener that determine its settings. */
struct dtls_options {
    const char *cert, *key, *client_ca; /* as in struct channel_tls_options; may be NULL */
    const char *keys;                   /* file with pre-shared keys; may be NULL */
    int64_t idle_ns;                    /* a session ends after this time without a datagram */
};

/* Upper limits: the handshakes of a socket at a time, and the nanoseconds that each may take. */
#define DTLS_HANDSHAKES_MOST 64
#define DTLS_HANDSHAKE_NS    INT64_C(15000000000)

struct dtls_server_options {
    const struct listener *listener; /* has the present settings in `dtls` */
    struct ingest_counters *counters;
    /*
     * Sends a datagram from the local address to the client, without waiting. Returns false if it
     * was not sent; the client then repeats its request.
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
    DTLS_PLAIN,      /* *plain has the decrypted contents */
    DTLS_SERVED,     /* the record was a message of DTLS itself */
    DTLS_NO_SESSION, /* the client has no session */
    DTLS_FORGED,     /* the record's tag is wrong */
    DTLS_REPLAYED,   /* a record with this number was already received */
    DTLS_REFUSED,    /* a limit allows no further handshake now */
};

/* Valid until the next call of the server. */
struct dtls_plain {
    const uint8_t *bytes;
    size_t size;
    const char *sender; /* the name that the client has proved; may be NULL */
};

struct dtls_functions {
    /* Main thread. Loads OpenSSL. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG). */
    int (*load)(struct error *error);

    /*
     * Main thread. Reads the files. Returns 0 with *settings; or -1 with `error` filled, whose text
     * names the key, its file and the fault. The owner frees the settings when no server uses them;
     * existing sessions do not need them. `free` allows NULL.
     */
    int (*make)(const struct dtls_options *options, struct dtls_settings **settings,
                struct error *error);
    void (*free)(struct dtls_settings *settings);

    /* Returns the most bytes that a server allocates, including OpenSSL's. */
    size_t (*memory)(size_t sessions);

    /* Returns NULL if out of memory. */
    struct dtls_server *(*create)(const struct dtls_server_options *options);
    /* Ends all sessions without notifying their clients. NULL is allowed. */
    void (*destroy)(struct dtls_server *server);

    /* Handles a record. One thread at a time calls this and the functions below. */
    enum dtls_outcome (*take)(struct dtls_server *server, const struct dtls_input *input,
                              struct dtls_plain *plain);

    /*
     * Repeats messages that clients have not answered, and ends overdue handshakes and idle
     * sessions. Returns the time of the next call, or INT64_MAX if none is needed before the next
     * record. Times are monotonic.
     */
    int64_t (*expire)(struct dtls_server *server, int64_t now_ns);

    /* Notifies all clients that their sessions end. Call this before the socket is closed. */
    void (*finish)(struct dtls_server *server);
};

/* NULL if this program was built without OpenSSL. */
extern const struct dtls_functions *const dtls_functions;

#endif
