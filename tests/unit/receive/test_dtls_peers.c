#include <stdlib.h>

#include "collector/receive/dtls_peers.h"
#include "tests/support/test.h"

#define MOST 100

static const uint8_t secret[16] = {1, 2, 3};
static const struct dtls_room room = {.sessions = MOST, .handshakes = 8, .of_host = MOST};

static struct address client(unsigned number)
{
    const uint8_t bytes[4] = {10, 0, 0, (uint8_t)(number / 4)};
    return address_from_ipv4(bytes, (uint16_t)(1000 + number % 4));
}

/* Returns a pointer that stands for an association. The table only compares such pointers. */
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

static struct dtls_peer *open_session(struct dtls_peers *peers, unsigned number, int64_t now_ns)
{
    struct dtls_peer *peer = begin(peers, number, now_ns);
    if (peer != NULL)
        dtls_peers_establish(peers, peer, now_ns);
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
            assert_non_null(all[i] = open_session(&peers, i, i));
        assert_null(begin(&peers, MOST, 0));
        for (unsigned i = 0; i < MOST; i++) {
            const struct address address = client(i);
            assert_ptr_equal(dtls_peers_find(&peers, &address), all[i]);
        }
        for (unsigned i = 0; i < MOST; i += 2)
            dtls_peers_end_session(&peers, all[i]);
        for (unsigned i = 0; i < MOST; i++) {
            const struct address address = client(i);
            assert_ptr_equal(dtls_peers_find(&peers, &address), i % 2 == 0 ? NULL : all[i]);
        }
        for (unsigned i = 1; i < MOST; i += 2)
            dtls_peers_end_session(&peers, all[i]);
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
    const struct dtls_room shared = {.sessions = MOST, .handshakes = 8, .of_host = 3};
    assert_true(dtls_peers_create(&peers, &shared, secret));
    struct dtls_peer *first = begin(&peers, 0, 0);
    assert_non_null(begin(&peers, 1, 0));
    dtls_peers_establish(&peers, first, 0);
    assert_non_null(begin(&peers, 2, 0));
    assert_null(begin(&peers, 3, 0));
    assert_non_null(begin(&peers, 4, 0)); /* a client at another address */
    dtls_peers_end_session(&peers, first);
    assert_non_null(begin(&peers, 3, 0));
    end_all(&peers);
}

TEST(the_addresses_of_an_ipv6_network_share_one_limit)
{
    const struct dtls_room shared = {.sessions = MOST, .handshakes = 8, .of_host = 2};
    struct dtls_peers peers;
    assert_true(dtls_peers_create(&peers, &shared, secret));
    for (uint8_t i = 0; i < 4; i++) {
        const uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8, [7] = i == 3, [15] = i};
        const struct address address = address_from_ipv6(bytes, 0, 1000);
        const struct stream_host *host = dtls_peers_host(&peers, &address);
        assert_int_equal(host == NULL, i == 0 || i == 3);
        struct dtls_peer *peer = dtls_peers_add(&peers, &address);
        assert_int_equal(peer == NULL, i == 2);
        if (i == 1)
            assert_ptr_equal(peer->host, host);
        if (peer != NULL)
            dtls_peers_begin(&peers, peer, association(i), i);
    }
    end_all(&peers);
}

TEST(handshakes_that_do_not_complete_use_no_place_of_a_session)
{
    const struct dtls_room few = {.sessions = 2, .handshakes = 4, .of_host = MOST};
    struct dtls_peers peers;
    struct dtls_peer *all[6];
    assert_true(dtls_peers_create(&peers, &few, secret));
    for (unsigned i = 0; i < 4; i++)
        assert_non_null(all[i] = begin(&peers, i, i));
    for (unsigned i = 0; i < 2; i++) {
        assert_false(dtls_peers_have_all_sessions(&peers));
        dtls_peers_establish(&peers, all[i], 10);
        assert_int_equal(begin(&peers, 4 + i, 10) == NULL, i == 1);
    }
    assert_true(dtls_peers_have_all_sessions(&peers));
    end_all(&peers);
}

/* Clients 0 to 3 belong to one host, clients 4 to 7 to the next one, and so on. */
TEST(a_full_table_gives_up_the_oldest_handshake_of_the_host_that_has_most)
{
    static const unsigned begun[] = {8, 4, 0, 5, 1, 2, 6};
    const struct dtls_room full = {.sessions = MOST, .handshakes = 7, .of_host = MOST};
    static const struct {
        unsigned newcomer, gives_up;
    } cases[] = {
        {12, 4}, /* its host has no handshakes; of the two hosts that have three, 4 is the oldest */
        {9, 4},  /* its host has one handshake */
        {7, 4},  /* its host has three, and loses its own oldest one */
        {3, 0},  /* its host has three, and loses its own oldest one, although 4 is older */
    };
    struct dtls_peers peers;
    assert_true(dtls_peers_create(&peers, &full, secret));
    for (unsigned i = 0; i < sizeof begun / sizeof *begun; i++) {
        const struct address address = client(begun[i]);
        struct dtls_peer *peer = dtls_peers_add(&peers, &address);
        assert_null(dtls_peers_crowding(&peers, peer));
        dtls_peers_begin(&peers, peer, association(begun[i]), i);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct address address = client(cases[i].newcomer);
        const struct address old = client(cases[i].gives_up);
        struct dtls_peer *peer = dtls_peers_add(&peers, &address);
        assert_ptr_equal(dtls_peers_crowding(&peers, peer), dtls_peers_find(&peers, &old));
        dtls_peers_drop(&peers, peer);
    }
    const struct address lost = client(4), address = client(12);
    dtls_peers_end_handshake(&peers, dtls_peers_find(&peers, &lost));
    struct dtls_peer *peer = dtls_peers_add(&peers, &address);
    assert_null(dtls_peers_crowding(&peers, peer));
    dtls_peers_begin(&peers, peer, association(12), 20);
    const struct address most = client(0);
    const struct address other = client(16);
    struct dtls_peer *next = dtls_peers_add(&peers, &other);
    assert_ptr_equal(dtls_peers_crowding(&peers, next), dtls_peers_find(&peers, &most));
    dtls_peers_drop(&peers, next);
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

/* `seen` has each number that was accepted. */
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
