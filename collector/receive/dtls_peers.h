/*
 * The clients of one DTLS socket, found by their addresses: a table of a fixed size, allocated at
 * the start.
 *
 * A client has a session, a handshake, or both. If it has lost its session, it begins a handshake
 * from the same address, and the server keeps the former session until that handshake is complete
 * (RFC 6347, 4.2.8). Sessions are listed by the time of their last datagram, handshakes by the time
 * at which they began. Clients without either are removed. Handshakes have places of their own, so
 * that handshakes that do not complete cannot use up the places of sessions. One thread at a time.
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

/* A place in a list. */
struct dtls_place {
    struct dtls_peer *before, *after;
};

/* One of a client's two associations; unused if `ssl` is NULL. */
struct dtls_association {
    struct ssl_st *ssl;
    int64_t since_ns; /* monotonic: when the handshake began, or the session's last datagram
                         arrived */
    struct dtls_place place;
    char name[SENDER_NAME_MAX + 1]; /* the name that the client has proved; empty: none */
};

struct dtls_peer {
    struct address address;
    struct address local;     /* the local address that the client sends to, from which it is
                                 answered */
    struct dtls_peer *next;   /* the next client in its bucket, or the next unused one */
    struct stream_host *host; /* the client's network (address_network, all ports), with the numbers
                                 of its clients and handshakes */
    struct dtls_association session, handshake;
    uint8_t random[DTLS_RANDOM_SIZE]; /* the random bytes of the last handshake's hello */
    unsigned records;                 /* the number of records of the handshake until now */
    unsigned encrypted;               /* how many of these were encrypted */
    uint64_t newest;                  /* the session's highest number so far */
    uint64_t seen;                    /* bit i: the number `newest` - i has been accepted */
};

/*
 * Limits at a time. `of_host`: clients of one network, on all ports. `kept`: networks that stay
 * known without a client (stream_hosts_keep).
 */
struct dtls_room {
    size_t sessions, handshakes, of_host, kept;
};

/* A list, the earliest first. */
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
 * Returns false if out of memory; the table can be destroyed then, too. `secret` keys the hash of
 * the addresses.
 */
bool dtls_peers_create(struct dtls_peers *peers, const struct dtls_room *room,
                       const uint8_t secret[16]);

/* Frees the table, in which no association is left. */
void dtls_peers_destroy(struct dtls_peers *peers);

/* Returns the bytes that the table allocates. */
size_t dtls_peers_memory(const struct dtls_room *room);

/* Returns NULL if the table has no client of this address. */
struct dtls_peer *dtls_peers_find(const struct dtls_peers *peers, const struct address *address);

/* Returns NULL if the network of this address has no client and is not kept. */
const struct stream_host *dtls_peers_host(const struct dtls_peers *peers,
                                          const struct address *address);

/* Whether the table has its most sessions. */
bool dtls_peers_have_all_sessions(const struct dtls_peers *peers);

/*
 * Adds a client, for which the caller begins a handshake or which it drops. Returns NULL if the
 * table has its most sessions, or if the client's network has its most clients.
 */
struct dtls_peer *dtls_peers_add(struct dtls_peers *peers, const struct address *address);

/*
 * Returns the handshake that must end before this client, which has no handshake, can begin one;
 * NULL: there is room. That is the oldest handshake of the host with the most handshakes; the
 * client's own host if it is among those. So a host takes places only from hosts that have more.
 */
struct dtls_peer *dtls_peers_crowding(const struct dtls_peers *peers,
                                      const struct dtls_peer *client);

/* Removes the client if it has neither a session nor a handshake. */
void dtls_peers_drop(struct dtls_peers *peers, struct dtls_peer *peer);

/* Begins a handshake of a client that has none, while there is room for it. */
void dtls_peers_begin(struct dtls_peers *peers, struct dtls_peer *peer, struct ssl_st *ssl,
                      int64_t now_ns);

/*
 * Makes the handshake the session of a client that has no session, while there is room for a
 * session.
 */
void dtls_peers_establish(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns);

/* Notes a datagram of the session. */
void dtls_peers_note(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns);

/*
 * Removes the session, or the handshake, whose `ssl` the caller has freed. Removes the client from
 * the table if it has neither any more.
 */
void dtls_peers_end_session(struct dtls_peers *peers, struct dtls_peer *peer);
void dtls_peers_end_handshake(struct dtls_peers *peers, struct dtls_peer *peer);

/*
 * Whether the session has accepted a record with this number. Also true for a number that is too
 * old to know.
 */
bool dtls_peer_has_seen(const struct dtls_peer *peer, uint64_t number);
/* Notes that the session has accepted a record with this number. */
void dtls_peer_see(struct dtls_peer *peer, uint64_t number);

#endif
