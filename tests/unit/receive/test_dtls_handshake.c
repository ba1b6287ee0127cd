/*
 * Tests the processing time for DTLS handshakes: hosts share it, and a hello for which no time is
 * left changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/receive/dtls.h"
#include "collector/receive/dtls_server.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define MS INT64_C(1000000)

/*
 * How long a handshake takes at its beginning, which is two calls of the library. The wrapped clock
 * counts a millisecond for each call.
 */
#define HANDSHAKE_MS 2

#define SAVED_MS     ((unsigned)(DTLS_TIME_SAVED / MS))
#define FORGOTTEN_MS ((unsigned)(DTLS_TIME_FORGOTTEN / MS))

int64_t __wrap_clock_monotonic_ns(void);

static int64_t now_ns;

int64_t __wrap_clock_monotonic_ns(void)
{
    return now_ns += MS;
}

/* --- the server ------------------------------------------------------------------------------- */

struct world {
    struct ingest_counters counters;
    struct listener listener;
    struct dtls_settings *settings;
    struct dtls_server *server;
    int64_t arrived_ns;                       /* of all records */
    uint8_t answer[DTLS_VERIFY_REQUEST_SIZE]; /* the beginning of the last answer */
    uint32_t hellos;
};

static bool keep_answer(void *context, const struct address *from, const struct address *to,
                        const void *bytes, size_t size)
{
    struct world *world = context;
    (void)from;
    (void)to;
    assert_true(size >= sizeof world->answer);
    memcpy(world->answer, bytes, sizeof world->answer);
    return true;
}

static struct world *begin_world(void)
{
    struct error error;
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    scratch_put_text("keys", "web 0000000000000001 "
                             "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    scratch_make_private("keys");
    const struct dtls_options settings = {.keys = scratch_path("keys"), .idle_ns = 20000 * MS};
    assert_int_equal(dtls_functions->load(&error), 0);
    assert_int_equal(dtls_functions->make(&settings, &world->settings, &error), 0);
    world->listener = (struct listener){
        .name = "dtls://", .dtls = world->settings, .sessions = 100, .sessions_per_address = 100};
    const struct dtls_server_options options = {.listener = &world->listener,
                                                .counters = &world->counters,
                                                .answer = keep_answer,
                                                .context = world};
    world->server = dtls_functions->create(&options);
    assert_non_null(world->server);
    world->arrived_ns = now_ns;
    return world;
}

static void end_world(struct world *world)
{
    dtls_functions->destroy(world->server);
    dtls_functions->free(world->settings);
    free(world);
}

/* --- the clients ------------------------------------------------------------------------------ */

/*
 * Returns the address of a client in a /64 network of IPv6. All addresses of such a network count
 * as one host.
 */
static struct address client(uint8_t network, uint8_t number)
{
    const uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8, [7] = network, [15] = number};
    return address_from_ipv6(bytes, 0, 1000);
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

/*
 * Writes a ClientHello: the heads of record and message, the cookie, and one cipher suite for
 * pre-shared keys. `number` is in its random bytes. Returns its size.
 */
static size_t write_hello(uint8_t *hello, uint32_t number, const uint8_t *cookie)
{
    static const uint8_t ciphers[] = {0, 2, 0, 0xa8, 1, 0};
    const uint8_t cookie_size = cookie == NULL ? 0 : DTLS_COOKIE_SIZE;
    const uint8_t body = (uint8_t)(2 + 32 + 1 + 1 + cookie_size + sizeof ciphers);
    const uint8_t message = cookie != NULL;
    const uint8_t head[] = {
        22, 0xfe, 0xfd, 0,       0, 0, 0, 0, 0, 0,    message, 0,   (uint8_t)(12 + body), 1, 0,
        0,  body, 0,    message, 0, 0, 0, 0, 0, body, 0xfe,    0xfd};
    uint8_t random[32] = {0};
    put_network_u32(random, number);
    uint8_t *at = put(hello, head, sizeof head);
    at = put(at, random, sizeof random);
    *at++ = 0; /* length of the session id */
    *at++ = cookie_size;
    if (cookie != NULL)
        at = put(at, cookie, cookie_size);
    at = put(at, ciphers, sizeof ciphers);
    return (size_t)(at - hello);
}

static enum dtls_outcome say_hello(struct world *world, const struct address *from, uint32_t number,
                                   const uint8_t *cookie)
{
    uint8_t hello[200];
    struct dtls_plain plain;
    struct dtls_input input = {.source = from, .now_ns = world->arrived_ns};
    assert_true(dtls_record_read(hello, write_hello(hello, number, cookie), &input.record));
    return dtls_functions->take(world->server, &input, &plain);
}

static enum dtls_outcome begin_handshake(struct world *world, const struct address *from)
{
    const uint32_t number = ++world->hellos;
    assert_int_equal(say_hello(world, from, number, NULL), DTLS_SERVED);
    const uint8_t *cookie = world->answer + DTLS_VERIFY_REQUEST_SIZE - DTLS_COOKIE_SIZE;
    return say_hello(world, from, number, cookie);
}

static unsigned use_all_time(struct world *world, const struct address *from)
{
    unsigned begun = 0;
    while (begin_handshake(world, from) == DTLS_SERVED)
        assert_true(++begun <= SAVED_MS);
    return begun;
}

static void check_used(unsigned begun, unsigned saved_ms)
{
    assert_in_range(begun * HANDSHAKE_MS, saved_ms * 2 / 3 - HANDSHAKE_MS,
                    saved_ms * 2 / 3 + HANDSHAKE_MS);
}

static uint64_t handshakes(const struct world *world)
{
    return counter_read(&world->counters.handshakes);
}

/* --- the time for handshakes ------------------------------------------------------------------ */

TEST_WITH(a_host_that_begins_handshakes_again_and_again_leaves_a_third_of_the_time, scratch_make,
          scratch_remove)
{
    (void)state;
    struct world *world = begin_world();
    const struct address stranger = client(0, 0), neighbour = client(0, 1);
    const unsigned begun = use_all_time(world, &stranger);
    check_used(begun, SAVED_MS);
    assert_int_equal(begin_handshake(world, &neighbour), DTLS_REFUSED);
    for (uint8_t network = 1; network <= 40; network++) {
        const struct address other = client(network, 0);
        assert_int_equal(begin_handshake(world, &other), DTLS_SERVED);
    }
    assert_int_equal(handshakes(world), begun + 40);
    end_world(world);
}

TEST_WITH(a_host_that_was_refused_begins_handshakes_when_time_has_passed, scratch_make,
          scratch_remove)
{
    (void)state;
    struct world *world = begin_world();
    const struct address stranger = client(0, 0);
    (void)use_all_time(world, &stranger);
    world->arrived_ns += DTLS_TIME_FORGOTTEN;
    check_used(use_all_time(world, &stranger), SAVED_MS / 3 + FORGOTTEN_MS / 2);
    end_world(world);
}

TEST_WITH(a_hello_without_time_ends_no_handshake, scratch_make, scratch_remove)
{
    (void)state;
    struct world *world = begin_world();
    const struct address stranger = client(0, 0);
    const unsigned begun = use_all_time(world, &stranger);
    assert_int_equal(handshakes(world), begun);
    assert_int_equal(counter_read(&world->counters.handshakes_failed), begun - 1);
    end_world(world);
}

TEST_WITH(a_hello_without_a_valid_cookie_uses_no_account_and_no_time, scratch_make, scratch_remove)
{
    (void)state;
    static const uint8_t wrong[DTLS_COOKIE_SIZE] = {1};
    struct world *world = begin_world();
    const struct address stranger = client(0, 0);
    for (unsigned i = 0; i < 1000; i++) {
        const struct address forged = client((uint8_t)(1 + i % 200), (uint8_t)i);
        assert_int_equal(say_hello(world, &forged, i, i % 2 == 0 ? NULL : wrong), DTLS_SERVED);
        assert_null(dtls_peers_host(&world->server->peers, &forged));
    }
    check_used(use_all_time(world, &stranger), SAVED_MS);
    end_world(world);
}
