/* The table of a DTLS server's clients: found by address, in the order of time, of a fixed size. */
#include <stdlib.h>

#include "collector/receive/dtls_peers.h"
#include "tests/support/test.h"

#define MOST 100

static const uint8_t secret[16] = {1, 2, 3};
static const struct dtls_room room = {.sessions = MOST, .of_host = MOST};

static struct address client(unsigned number)
{
    const uint8_t bytes[4] = {10, 0, 0, (uint8_t)(number / 4)};
    return address_from_ipv4(bytes, (uint16_t)(1000 + number % 4));
}

/* Associations are only compared. */
static struct ssl_st *association(unsigned number)
{
    static char all[2 * MOST];
    return (struct ssl_st *)(void *)&all[number];
}

static struct dtls_peer *begin(struct dtls_peers *peers, unsigned number, int64_t now_ns)
{
    const struct address address = client(number);
    struct dtls_peer *peer = dtls_peers_add(peers, &address);
    if (peer != NULL)
        dtls_peers_begin(peers, peer, association(number), now_ns);
    return peer;
}

static void end_all(struct dtls_peers *peers)
{
    while (peers->handshakes.first != NULL)
        dtls_peers_end_handshake(peers, peers->handshakes.first);
    while (peers->sessions.first != NULL)
        dtls_peers_end_session(peers, peers->sessions.first);
    assert_int_equal(peers->used, 0);
    dtls_peers_destroy(peers);
}

TEST(clients_are_found_by_their_addresses_until_the_table_is_full)
{
    struct dtls_peers peers;
    assert_true(dtls_peers_create(&peers, &room, secret));
    for (unsigned round = 0; round < 3; round++) {
        struct dtls_peer *all[MOST];
        for (unsigned i = 0; i < MOST; i++)
            assert_non_null(all[i] = begin(&peers, i, i));
        assert_null(begin(&peers, MOST, 0));
        for (unsigned i = 0; i < MOST; i++) {
            const struct address address = client(i);
            assert_ptr_equal(dtls_peers_find(&peers, &address), all[i]);
        }
        for (unsigned i = 0; i < MOST; i += 2)
            dtls_peers_end_handshake(&peers, all[i]);
        for (unsigned i = 0; i < MOST; i++) {
            const struct address address = client(i);
            assert_ptr_equal(dtls_peers_find(&peers, &address), i % 2 == 0 ? NULL : all[i]);
        }
        for (unsigned i = 1; i < MOST; i += 2)
            dtls_peers_end_handshake(&peers, all[i]);
        assert_int_equal(peers.used, 0);
    }
    end_all(&peers);
}

TEST(a_client_stays_until_its_session_and_its_handshake_have_ended)
{
    struct dtls_peers peers;
    const struct address address = client(1);
    assert_true(dtls_peers_create(&peers, &room, secret));
    struct dtls_peer *peer = begin(&peers, 1, 0);
    dtls_peers_establish(&peers, peer, 5);
    assert_int_equal(peers.handshakes.count, 0);
    assert_int_equal(peers.sessions.count, 1);
    assert_ptr_equal(peer->session.ssl, association(1));
    dtls_peers_begin(&peers, peer, association(2), 6);
    dtls_peers_end_session(&peers, peer);
    assert_ptr_equal(dtls_peers_find(&peers, &address), peer);
    dtls_peers_establish(&peers, peer, 7);
    dtls_peers_begin(&peers, peer, association(3), 8);
    dtls_peers_end_handshake(&peers, peer);
    assert_ptr_equal(dtls_peers_find(&peers, &address), peer);
    dtls_peers_end_session(&peers, peer);
    assert_null(dtls_peers_find(&peers, &address));
    end_all(&peers);
}

TEST(an_address_has_no_more_clients_than_its_share_on_all_its_ports)
{
    struct dtls_peers peers;
    const struct dtls_room shared = {.sessions = MOST, .of_host = 3};
    assert_true(dtls_peers_create(&peers, &shared, secret));
    struct dtls_peer *first = begin(&peers, 0, 0);
    assert_non_null(begin(&peers, 1, 0));
    dtls_peers_establish(&peers, first, 0);
    assert_non_null(begin(&peers, 2, 0));
    assert_null(begin(&peers, 3, 0));
    assert_non_null(begin(&peers, 4, 0)); /* of another address */
    dtls_peers_end_session(&peers, first);
    assert_non_null(begin(&peers, 3, 0));
    end_all(&peers);
}

TEST(sessions_are_in_the_order_of_their_last_datagrams)
{
    struct dtls_peers peers;
    struct dtls_peer *all[3];
    assert_true(dtls_peers_create(&peers, &room, secret));
    for (unsigned i = 0; i < 3; i++)
        all[i] = begin(&peers, i, i);
    for (unsigned i = 0; i < 3; i++)
        dtls_peers_establish(&peers, all[i], 10 + i);
    dtls_peers_note(&peers, all[2], 20);
    dtls_peers_note(&peers, all[0], 21);
    const unsigned order[] = {1, 2, 0};
    struct dtls_peer *peer = peers.sessions.first;
    for (unsigned i = 0; i < 3; i++, peer = peer->session.place.after)
        assert_ptr_equal(peer, all[order[i]]);
    assert_null(peer);
    dtls_peers_end_session(&peers, all[2]);
    assert_ptr_equal(peers.sessions.first->session.place.after, all[0]);
    end_all(&peers);
}

/* Against a list of all numbers. */
TEST(a_number_is_seen_once_within_the_window)
{
    enum { NUMBERS = 400 };
    bool seen[NUMBERS] = {false};
    struct dtls_peer peer = {.seen = 0};
    unsigned state = 7, newest = 0;
    bool any = false;
    for (int i = 0; i < 3000; i++) {
        state = state * 1103515245 + 12345;
        unsigned from = newest > 70 ? newest - 70 : 0;
        unsigned number = from + (state >> 16) % 80;
        if (number >= NUMBERS)
            continue;
        bool old = any && newest >= number && newest - number >= 64;
        assert_int_equal(dtls_peer_has_seen(&peer, number), seen[number] || old);
        if (state >> 30 == 0 || old)
            continue;
        dtls_peer_see(&peer, number);
        seen[number] = any = true;
        newest = number > newest ? number : newest;
    }
    assert_true(newest > NUMBERS / 2);
}
