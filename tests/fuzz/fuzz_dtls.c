/*
 * Fuzzes the DTLS server with datagrams of arbitrary bytes, and with clients of OpenSSL whose
 * records are delivered, lost, repeated, altered and combined.
 *
 * Fields of the envelope: 1 steps of two bytes; 2 datagrams of arbitrary bytes.
 *
 * A decrypted payload must be one that the client at the same address has sealed. It must come once
 * and unaltered, with the client's name. Until a client has returned a cookie, no answer may be
 * longer than its request, and the server must not keep any state for the client. The numbers of
 * handshakes and sessions must add up at any time, and stay within their limits.
 */
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "collector/receive/dtls.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"

enum { PART_STEPS = 1, PART_DATAGRAM = 2 };

#define CLIENTS   3
#define SESSIONS  2
#define RECORDS   64
#define PAYLOADS  64
#define SIZE_MOST 4096

static const char key_line[] = "web 0000000000000001 "
                               "0101010101010101010101010101010101010101010101010101010101010101\n";

struct bytes {
    uint8_t data[SIZE_MOST];
    size_t size;
};

struct client {
    struct address address;
    SSL *ssl;
    BIO *in, *out;
    /* The records it has made; those from `next` on were not delivered. */
    struct bytes records[RECORDS];
    size_t made, next;
    bool delivered[PAYLOADS]; /* for each sealed payload: the server has delivered it */
    uint8_t sealed;
    bool has_cookie; /* the server has sent it a cookie, so the client may have returned it */
};

struct world {
    struct ingest_counters counters;
    struct listener listener;
    struct dtls_server *server;
    struct client clients[CLIENTS];
    int64_t now_ns;
    size_t answered; /* bytes that the server has sent since the last record */
};

/* --- clients ---------------------------------------------------------------------------------- */

static unsigned give_key(SSL *ssl, const char *hint, char *identity, unsigned most,
                         unsigned char *key, unsigned key_most)
{
    (void)ssl;
    (void)hint;
    if (most < 4 || key_most < 32)
        return 0;
    memcpy(identity, "web", 4);
    memset(key, 1, 32);
    return 32;
}

static SSL_CTX *client_context(void)
{
    static SSL_CTX *context;
    if (context == NULL) {
        context = SSL_CTX_new(DTLS_client_method());
        EXPECT(context != NULL, "no memory");
        SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
        SSL_CTX_set_options(context, SSL_OP_NO_QUERY_MTU);
        SSL_CTX_set_psk_client_callback(context, give_key);
    }
    return context;
}

static void begin_client(struct client *client)
{
    SSL_free(client->ssl);
    client->ssl = SSL_new(client_context());
    client->in = BIO_new(BIO_s_mem());
    client->out = BIO_new(BIO_s_mem());
    EXPECT(client->ssl != NULL && client->in != NULL && client->out != NULL, "no memory");
    BIO_set_mem_eof_return(client->in, -1);
    SSL_set_bio(client->ssl, client->in, client->out);
    SSL_set_mtu(client->ssl, 1200);
    SSL_set_connect_state(client->ssl);
    client->made = client->next = 0;
}

static void collect(struct client *client)
{
    uint8_t head[DTLS_RECORD_HEADER];
    while (BIO_read(client->out, head, sizeof head) == (int)sizeof head) {
        struct bytes thrown,
            *to = client->made < RECORDS ? &client->records[client->made++] : &thrown;
        size_t body = (size_t)head[11] << 8 | head[12];
        EXPECT(body <= sizeof to->data - sizeof head, "a client's record of %zu bytes", body);
        memcpy(to->data, head, sizeof head);
        to->size = sizeof head + body;
        EXPECT(BIO_read(client->out, to->data + sizeof head, (int)body) == (int)body,
               "a client's record is cut");
    }
}

static void seal(struct client *client)
{
    const uint8_t payload[] = {client->sealed, 'p', 'a', 'y'};
    if (client->sealed < PAYLOADS && SSL_is_init_finished(client->ssl) &&
        SSL_write(client->ssl, payload, sizeof payload) > 0) {
        client->delivered[client->sealed++] = false;
        collect(client);
    }
}

/* --- the server ------------------------------------------------------------------------------- */

static bool answer(void *context, const struct address *from, const struct address *to,
                   const void *bytes, size_t size)
{
    struct world *world = context;
    (void)from;
    world->answered += size;
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &world->clients[i];
        if (!address_equal(&client->address, to))
            continue;
        client->has_cookie = true;
        BIO_write(client->in, bytes, (int)size);
        return true;
    }
    return false;
}

static uint64_t ends_of(const struct ingest_counters *counters)
{
#define ADD_END(name, ...) +counter_read(&counters->name)
    return 0 SESSION_END_TERMS(ADD_END);
}

static void check_counts(const struct world *world)
{
    const struct ingest_counters *counters = &world->counters;
    uint64_t begun = counter_read(&counters->handshakes);
    uint64_t done = counter_read(&counters->sessions) + counter_read(&counters->handshakes_failed);
    EXPECT(begun >= done && begun - done <= CLIENTS, "%llu handshakes are open",
           (unsigned long long)(begun - done));
    uint64_t open = counter_read(&counters->sessions) - ends_of(counters);
    EXPECT(open <= SESSIONS, "%llu sessions are open", (unsigned long long)open);
}

static void check_plain(struct client *client, const struct dtls_plain *plain)
{
    EXPECT(client != NULL, "a client without a key has sent something");
    EXPECT(plain->sender != NULL && strcmp(plain->sender, "web") == 0, "another sender");
    EXPECT(plain->size == 4 && memcmp(plain->bytes + 1, "pay", 3) == 0, "an altered payload");
    EXPECT(plain->bytes[0] < client->sealed && !client->delivered[plain->bytes[0]],
           "a payload that was not sealed, or twice");
    client->delivered[plain->bytes[0]] = true;
}

static void deliver(struct world *world, struct client *client, const struct address *from,
                    const uint8_t *bytes, size_t size)
{
    struct dtls_input input = {.source = from, .destination = NULL, .now_ns = world->now_ns};
    while (dtls_record_read(bytes, size, &input.record)) {
        struct dtls_plain plain;
        size_t whole = dtls_record_size(&input.record);
        bool is_known = client != NULL && client->has_cookie;
        uint64_t before = counter_read(&world->counters.handshakes);
        world->answered = 0;
        enum dtls_outcome outcome = dtls_functions->take(world->server, &input, &plain);
        if (!is_known) {
            EXPECT(world->answered <= whole, "%zu bytes answer %zu", world->answered, whole);
            EXPECT(counter_read(&world->counters.handshakes) == before, "a handshake by no cookie");
        }
        if (outcome == DTLS_PLAIN)
            check_plain(client, &plain);
        check_counts(world);
        bytes += whole;
        size -= whole;
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

static void deliver_record(struct world *world, struct client *client, const struct bytes *record)
{
    deliver(world, client, &client->address, record->data, record->size);
}

static void alter_and_deliver(struct world *world, struct client *client, struct bytes record,
                              uint8_t at)
{
    record.data[at % record.size] ^= (uint8_t)(1 << at % 8);
    deliver_record(world, client, &record);
}

static void make_step(struct world *world, uint8_t what, uint8_t value)
{
    static const struct address stranger = {.family = ADDRESS_IPV4, .port = 9, .bytes = {10, 9}};
    struct client *client = &world->clients[what / 16 % CLIENTS];
    const struct bytes *next = client->next < client->made ? &client->records[client->next] : NULL;
    const struct bytes *any = client->made == 0 ? NULL : &client->records[value % client->made];
    switch (what % 16) {
    case 0:
    case 1:
        SSL_do_handshake(client->ssl);
        collect(client);
        break;
    case 2:
    case 3:
    case 4:
        if (next != NULL)
            deliver_record(world, client, next);
        client->next += next != NULL;
        break;
    case 5:
        client->next += next != NULL; /* the record is lost */
        break;
    case 6:
        if (any != NULL)
            deliver_record(world, client, any);
        break;
    case 7:
        if (any != NULL)
            alter_and_deliver(world, client, *any, value);
        break;
    case 8:
        if (any != NULL)
            deliver(world, NULL, &stranger, any->data, any->size);
        break;
    case 9:
    case 10:
        seal(client);
        break;
    case 11:
        begin_client(client);
        break;
    case 12:
        SSL_shutdown(client->ssl);
        collect(client);
        break;
    default:
        world->now_ns += (int64_t)value * 100000000;
        dtls_functions->expire(world->server, world->now_ns);
        check_counts(world);
    }
}

/* --- a world ---------------------------------------------------------------------------------- */

static struct dtls_settings *settings(void)
{
    static struct dtls_settings *made;
    char path[SCRATCH_PATH_SIZE];
    struct error error;
    if (made != NULL)
        return made;
    scratch_write("keys", key_line, sizeof key_line - 1);
    scratch_file("keys", path);
    const struct dtls_options options = {.keys = path, .idle_ns = INT64_C(20000000000)};
    EXPECT(dtls_functions->make(&options, &made, &error) == 0, "%s", error.text);
    scratch_empty();
    return made;
}

static void begin_world(struct world *world)
{
    world->listener = (struct listener){.name = "dtls://",
                                        .dtls = settings(),
                                        .sessions = SESSIONS,
                                        .sessions_per_address = SESSIONS};
    world->now_ns = 1;
    const struct dtls_server_options options = {.listener = &world->listener,
                                                .counters = &world->counters,
                                                .answer = answer,
                                                .context = world};
    world->server = dtls_functions->create(&options);
    EXPECT(world->server != NULL, "no memory");
    for (size_t i = 0; i < CLIENTS; i++) {
        const uint8_t host[4] = {10, 0, 0, (uint8_t)i};
        world->clients[i].address = address_from_ipv4(host, 1000);
        begin_client(&world->clients[i]);
    }
}

static void end_world(struct world *world)
{
    dtls_functions->finish(world->server);
    EXPECT(counter_read(&world->counters.sessions) == ends_of(&world->counters),
           "a session has no end");
    dtls_functions->destroy(world->server);
    for (size_t i = 0; i < CLIENTS; i++)
        SSL_free(world->clients[i].ssl);
    free(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    const struct envelope_part *part;
    quiet();
    struct world *world = calloc(1, sizeof *world);
    EXPECT(world != NULL, "no memory");
    begin_world(world);
    envelope_read(&envelope, data, size);
    const struct envelope_part *steps = envelope_bytes(&envelope, PART_STEPS, 0);
    for (size_t i = 0; steps != NULL && i + 1 < steps->size && i < 600; i += 2)
        make_step(world, steps->bytes[i], steps->bytes[i + 1]);
    for (size_t i = 0; (part = envelope_bytes(&envelope, PART_DATAGRAM, i)) != NULL; i++)
        deliver(world, &world->clients[i % CLIENTS], &world->clients[i % CLIENTS].address,
                part->bytes, part->size);
    envelope_free(&envelope);
    end_world(world);
    return 0;
}
