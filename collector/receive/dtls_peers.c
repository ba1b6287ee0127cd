#include "collector/receive/dtls_peers.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/siphash.h"

/* Number of record numbers that a session remembers; OpenSSL's own window has the same size. */
#define WINDOW 64

/* --- lists ------------------------------------------------------------------------------------ */

static struct dtls_place *place_of(const struct dtls_peers *peers, const struct dtls_list *list,
                                   struct dtls_peer *peer)
{
    return list == &peers->sessions ? &peer->session.place : &peer->handshake.place;
}

static void append(const struct dtls_peers *peers, struct dtls_list *list, struct dtls_peer *peer)
{
    struct dtls_place *place = place_of(peers, list, peer);
    *place = (struct dtls_place){.before = list->last};
    if (list->last == NULL)
        list->first = peer;
    else
        place_of(peers, list, list->last)->after = peer;
    list->last = peer;
    list->count++;
}

static void take_out(const struct dtls_peers *peers, struct dtls_list *list, struct dtls_peer *peer)
{
    const struct dtls_place place = *place_of(peers, list, peer);
    RULE(list->count != 0, "a client is taken out of the list that it is in");
    if (place.before == NULL)
        list->first = place.after;
    else
        place_of(peers, list, place.before)->after = place.after;
    if (place.after == NULL)
        list->last = place.before;
    else
        place_of(peers, list, place.after)->before = place.before;
    list->count--;
}

/* --- the table -------------------------------------------------------------------------------- */

/* Returns a power of two that is at least the number of clients. */
static size_t bucket_count(size_t most)
{
    size_t count = 16;
    while (count < most)
        count *= 2;
    return count;
}

static size_t client_count(const struct dtls_room *room)
{
    return room->sessions + room->handshakes;
}

bool dtls_peers_create(struct dtls_peers *peers, const struct dtls_room *room,
                       const uint8_t secret[16])
{
    struct error error;
    const size_t most = client_count(room);
    size_t buckets = bucket_count(most);
    *peers = (struct dtls_peers){.room = *room, .mask = buckets - 1};
    memcpy(peers->secret, secret, sizeof peers->secret);
    peers->all = calloc(most, sizeof *peers->all);
    peers->buckets = calloc(buckets, sizeof(struct dtls_peer *));
    if (peers->all == NULL || peers->buckets == NULL ||
        stream_hosts_init(&peers->hosts, &error) != 0 ||
        !stream_hosts_grow(&peers->hosts, most + room->kept))
        return false;
    for (size_t i = most; i-- > 0;) {
        peers->all[i].next = peers->unused;
        peers->unused = &peers->all[i];
    }
    return true;
}

void dtls_peers_destroy(struct dtls_peers *peers)
{
    RULE(peers->sessions.count == 0 && peers->handshakes.count == 0,
         "a table is freed when all associations have ended");
    free(peers->all);
    free(peers->buckets);
    stream_hosts_destroy(&peers->hosts);
}

size_t dtls_peers_memory(const struct dtls_room *room)
{
    const size_t most = client_count(room);
    return most * sizeof(struct dtls_peer) + bucket_count(most) * sizeof(struct dtls_peer *) +
           stream_hosts_memory(most + room->kept);
}

static struct dtls_peer **bucket_of(const struct dtls_peers *peers, const struct address *address)
{
    const uint32_t port = address_port(address);
    uint64_t result[2];
    struct siphash hash;
    siphash_begin(&hash, peers->secret);
    siphash_feed(&hash, address->bytes, sizeof address->bytes);
    siphash_feed(&hash, &address->scope, sizeof address->scope);
    siphash_feed(&hash, &port, sizeof port);
    siphash_end(&hash, result);
    return &peers->buckets[result[0] & peers->mask];
}

struct dtls_peer *dtls_peers_find(const struct dtls_peers *peers, const struct address *address)
{
    struct dtls_peer *peer = *bucket_of(peers, address);
    while (peer != NULL && !address_equal(&peer->address, address))
        peer = peer->next;
    return peer;
}

const struct stream_host *dtls_peers_host(const struct dtls_peers *peers,
                                          const struct address *address)
{
    const struct address network = address_network(address);
    return stream_hosts_find(&peers->hosts, &network);
}

bool dtls_peers_have_all_sessions(const struct dtls_peers *peers)
{
    return peers->sessions.count >= peers->room.sessions;
}

struct dtls_peer *dtls_peers_add(struct dtls_peers *peers, const struct address *address)
{
    const struct address network = address_network(address);
    if (dtls_peers_have_all_sessions(peers))
        return NULL;
    struct dtls_peer *peer = peers->unused;
    RULE(peer != NULL, "there are places for all sessions and all handshakes");
    struct stream_host *host = stream_hosts_enter(&peers->hosts, &network, peers->room.of_host);
    if (host == NULL)
        return NULL;
    struct dtls_peer **bucket = bucket_of(peers, address);
    peers->unused = peer->next;
    *peer = (struct dtls_peer){.address = *address, .next = *bucket, .host = host};
    *bucket = peer;
    peers->used++;
    return peer;
}

void dtls_peers_drop(struct dtls_peers *peers, struct dtls_peer *peer)
{
    if (peer->session.ssl != NULL || peer->handshake.ssl != NULL)
        return;
    struct dtls_peer **link = bucket_of(peers, &peer->address);
    while (*link != peer)
        link = &(*link)->next;
    *link = peer->next;
    stream_hosts_leave(&peers->hosts, peer->host);
    peer->next = peers->unused;
    peers->unused = peer;
    peers->used--;
}

/* --- associations ----------------------------------------------------------------------------- */

struct dtls_peer *dtls_peers_crowding(const struct dtls_peers *peers,
                                      const struct dtls_peer *client)
{
    struct dtls_peer *found = NULL;
    size_t most = 0;
    if (peers->handshakes.count < peers->room.handshakes)
        return NULL;
    for (struct dtls_peer *peer = peers->handshakes.first; peer != NULL;
         peer = peer->handshake.place.after) {
        size_t weight = 2 * peer->host->handshakes + (peer->host == client->host);
        if (weight > most) {
            most = weight;
            found = peer;
        }
    }
    return found;
}

static void take_out_handshake(struct dtls_peers *peers, struct dtls_peer *peer)
{
    RULE(peer->host->handshakes != 0, "a host's handshakes are counted");
    peer->host->handshakes--;
    take_out(peers, &peers->handshakes, peer);
}

void dtls_peers_begin(struct dtls_peers *peers, struct dtls_peer *peer, struct ssl_st *ssl,
                      int64_t now_ns)
{
    RULE(peer->handshake.ssl == NULL && ssl != NULL, "a client has one handshake at a time");
    RULE(peers->handshakes.count < peers->room.handshakes, "a handshake begins if there is room");
    peer->handshake = (struct dtls_association){.ssl = ssl, .since_ns = now_ns};
    peer->records = peer->encrypted = 0;
    peer->host->handshakes++;
    append(peers, &peers->handshakes, peer);
}

void dtls_peers_establish(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns)
{
    RULE(peer->session.ssl == NULL && peer->handshake.ssl != NULL,
         "a complete handshake replaces no session");
    RULE(!dtls_peers_have_all_sessions(peers), "a session begins if there is room");
    take_out_handshake(peers, peer);
    peer->session = peer->handshake;
    peer->handshake.ssl = NULL;
    peer->session.since_ns = now_ns;
    peer->newest = peer->seen = 0;
    append(peers, &peers->sessions, peer);
}

void dtls_peers_note(struct dtls_peers *peers, struct dtls_peer *peer, int64_t now_ns)
{
    peer->session.since_ns = now_ns;
    if (peers->sessions.last == peer)
        return;
    take_out(peers, &peers->sessions, peer);
    append(peers, &peers->sessions, peer);
}

void dtls_peers_end_session(struct dtls_peers *peers, struct dtls_peer *peer)
{
    RULE(peer->session.ssl != NULL, "a session ends once");
    take_out(peers, &peers->sessions, peer);
    peer->session.ssl = NULL;
    dtls_peers_drop(peers, peer);
}

void dtls_peers_end_handshake(struct dtls_peers *peers, struct dtls_peer *peer)
{
    RULE(peer->handshake.ssl != NULL, "a handshake ends once");
    take_out_handshake(peers, peer);
    peer->handshake.ssl = NULL;
    dtls_peers_drop(peers, peer);
}

/* --- numbers of records ----------------------------------------------------------------------- */

bool dtls_peer_has_seen(const struct dtls_peer *peer, uint64_t number)
{
    if (number > peer->newest || peer->seen == 0)
        return false;
    uint64_t back = peer->newest - number;
    return back >= WINDOW || (peer->seen >> back & 1) != 0;
}

void dtls_peer_see(struct dtls_peer *peer, uint64_t number)
{
    if (number > peer->newest || peer->seen == 0) {
        uint64_t ahead = number - peer->newest;
        peer->seen = peer->seen == 0 || ahead >= WINDOW ? 1 : peer->seen << ahead | 1;
        peer->newest = number;
    } else if (peer->newest - number < WINDOW) {
        peer->seen |= (uint64_t)1 << (peer->newest - number);
    }
}
