/*
 * The clients of one DTLS socket, found by their addresses: a table of fixed size, allocated at the
 * start.
 *
 * A client has a session, a handshake, or both. A client that has lost its session begins a
 * handshake from the same address; the server keeps the old session until that handshake is
 * complete (RFC 6347, 4.2.8). Sessions are listed by the time of their last datagram, handshakes by
 * the time of their beginning. A client without either is removed. The table has separate room for
 * handshakes, so that incomplete handshakes cannot use up the room for sessions. One thread at a
 * time.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_PEERS_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/sender_name.h"
#include "collector/receive/dtls_record.h"
#include "collector/receive/stream_hosts.h"

struct ssl_st;
struct dtls_peer;

/* The links of a client in a list. */
struct dtls_place {
    struct dtls_peer *before, *after;
};

/* A session or a handshake of a client; unused if `ssl` is NULL. */
struct dtls_association {
    struct ssl_st *ssl;
    int64_t since_ns; /* monotonic: beginning of the handshake, or last datagram of the session */
    struct dtls_place place;
    char name[SENDER_NAME_MAX + 1]; /* the name that the client has proved; may be empty */
};

struct dtls_peer {
    struct address address;
    struct address local;     /* local address that the client sends to; answers come from it */
    struct dtls_peer *next;   /* next client in its bucket, or next unused entry */
    struct stream_host *host; /* the client's network (address_network, any port), which counts its
                                 clients and handshakes */
    struct dtls_association session, handshake;
    uint8_t random[DTLS_RANDOM_SIZE]; /* random bytes of the last handshake's hello */
    unsigned records;                 /* number of records of the present handshake */
    unsigned encrypted;               /* how many of `records` were encrypted */
    uint64_t newest;                  /* highest record number of the session */
    uint64_t seen;                    /* bit i is set if number `newest` - i was accepted */
};

/*
 * Upper limits of entries. `of_host` is for the clients of one network, on any port. `kept` is for
 * networks that stay known without a client (stream_hosts_keep).
 */
struct dtls_room {
    size_t sessions, handshakes, of_host, kept;
};

/* A list of clients, the earliest first. */
struct dtls_list {
    struct dtls_peer *first, *last;
    size_t count;
};

struct dtls_peers {
    struct dtls_peer *all, *unused;
    struct dtls_peer **buckets;
    size_t mask;
    uint8_t secret[16];
    struct dtls_list sessions, handshakes;
    size_t used;
    struct stream_hosts hosts;
    struct dtls_room room;
};

/*
 * `secret` keys the hash of the addresses. Returns false if out of memory; the table must be
 * destroyed in this case too.
 */
bool dtls_peers_create(struct dtls_peers *peers, const struct dtls_room *room,
                       const uint8_t secret[16]);

/* Frees the table. All associations must have ended. */
void dtls_peers_destroy(struct dtls_peers *peers);

/* Returns the bytes that the table allocates. */
size_t dtls_peers_memory(const struct dtls_room *room);

/* Returns NULL if the table has no client with this address. */
struct dtls_peer *dtls_peers_find(const struct dtls_peers *peers, const struct address *address);

/* Returns NULL if the network of this address has no client and is not kept. */
const struct stream_host *dtls_peers_host(const struct dtls_peers *peers,
                                          const struct address *address);

/* Returns true if the table has its upper limit of sessions. */
bool dtls_peers_have_all_sessions(const struct dtls_peers *peers);

/*
 * Adds a client. The caller must then begin a handshake for it, or drop it. Returns NULL if the
 * table has its upper limit of sessions, or the client's network its upper limit of clients.
 */
struct dtls_peer *dtls_peers_add(struct dtls_peers *peers, const struct address *address);

/*
 * Returns the handshake that must end before this client can begin one, or NULL if there is room.
 * The client must not have a handshake. The result is the oldest handshake of the host with the
 * most handshakes; among equal hosts, the client's own host is chosen. A host therefore displaces
 * only its own handshakes, and those of hosts that have more handshakes than it.
 */
struct dtls_peer *dtls_peers_crowding(const struct dtls_peers *peers,
                                      const struct dtls_peer *client);

/* Removes the client if it has neither a session nor a handshake. */
void dtls_peers_drop(struct dtls_peers *peers, struct dtls_peer *peer);

/* Begins a handshake of a client that has none. There must be room for it. */
void dtls_peers_begin(struct dtls_peers *peers, struct dtls_peer *peer, struct ssl_st *ssl,
                      int64_t now_ns);

/*
 * Turns the handshake into the client's session. The client must not have a session, and there must
 * be room for one.
 */
void dtls_peers_establish(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns);

/* Notes that a datagram of the session arrived. */
void dtls_peers_note(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns);

/*
 * Remove the session or the handshake, whose `ssl` the caller has freed. Remove the client from the
 * table if it now has neither.
 */
void dtls_peers_end_session(struct dtls_peers *peers, struct dtls_peer *peer);
void dtls_peers_end_handshake(struct dtls_peers *peers, struct dtls_peer *peer);

/*
 * Returns true if the session has accepted a record with this number, or if the number is too old
 * to know.
 */
bool dtls_peer_has_seen(const struct dtls_peer *peer, uint64_t number);
/* Notes that the session has accepted a record with this number. */
void dtls_peer_see(struct dtls_peer *peer, uint64_t number);

#endif
