#include "collector/receive/dtls_handshake.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/receive/tls_name.h"

#define SECOND_NS INT64_C(1000000000)

/*
 * If there are too many handshakes, an old one must end before a new one can begin
 * (dtls_peers_crowding). It ends at once if its host has at least two more handshakes than the new
 * client's host. Otherwise it ends only if it has lasted this long (nanoseconds). Hosts with equal
 * shares therefore do not keep ending each other's handshakes, and a host cannot begin handshakes
 * without limit by ending its own.
 */
#define PATIENCE_NS SECOND_NS

/*
 * Upper limits of the records that a handshake may read, and of those that are encrypted. OpenSSL
 * stores encrypted records that arrive before the keys are known, with 17 KiB for each.
 */
#define RECORDS_MOST   256
#define ENCRYPTED_MOST 8

/*
 * Upper limit of the payload in bytes of a datagram of a handshake. It fits into every IPv6 path.
 */
#define MTU 1200

#define WHY_SIZE 160

/* --- callbacks of OpenSSL --------------------------------------------------------------------- */

static const struct tls_library *loaded; /* set by the main thread before handshakes begin */

/* Accepts every cookie, because only hellos with a valid cookie reach OpenSSL. */
static int accept_cookie(SSL *ssl, const unsigned char *cookie, unsigned size)
{
    (void)ssl;
    (void)cookie;
    (void)size;
    return 1;
}

static int make_no_cookie(SSL *ssl, unsigned char *cookie, unsigned *size)
{
    (void)ssl;
    (void)cookie;
    (void)size;
    return 0;
}

/*
 * Finds the pre-shared key for the client's identity and notes its name. The name is used only if
 * the handshake completes.
 */
static unsigned find_key(SSL *ssl, const char *identity, unsigned char *key, unsigned most)
{
    struct dtls_server *server = loaded->SSL_get_ex_data(ssl, 0);
    struct dtls_peer *peer = server->shaking;
    const struct dtls_keys *keys = server->options.listener->dtls->keys;
    RULE(peer != NULL && peer->handshake.ssl == ssl, "a key is wanted by the present handshake");
    if (keys == NULL || identity == NULL)
        return 0;
    const struct sender_key_line *line = dtls_keys_find(keys, identity, clock_wall_ns());
    if (line == NULL || most < sizeof line->key)
        return 0;
    memcpy(key, line->key, sizeof line->key);
    snprintf(peer->handshake.name, sizeof peer->handshake.name, "%s", line->name);
    return sizeof line->key;
}

void dtls_handshake_prepare(const struct dtls_settings *settings)
{
    SSL_CTX *context = settings->tls.context;
    if (loaded == NULL) /* set only once, because other threads read it during a reload */
        loaded = settings->tls.library;
    loaded->SSL_CTX_set_cookie_generate_cb(context, make_no_cookie);
    loaded->SSL_CTX_set_cookie_verify_cb(context, accept_cookie);
    if (settings->keys != NULL)
        loaded->SSL_CTX_set_psk_server_callback(context, find_key);
}

static const char too_many_sessions[] = "the listener has as many sessions as sessions= allows";

/* --- ends ------------------------------------------------------------------------------------- */

static void log_failure(struct dtls_server *server, const struct address *client, const char *why)
{
    uint64_t suppressed;
    char address[ADDRESS_TEXT_SIZE];
    char more[64] = "";
    if (!log_allowed(&server->log, &suppressed))
        return;
    address_format(client, address);
    if (suppressed != 0)
        snprintf(more, sizeof more, " (and %" PRIu64 " others since the last such line)",
                 suppressed);
    log_about(LOG_WARNING, LOG_OF_LISTENER, server->options.listener->name,
              "a handshake of %s failed: %s%s", address, why, more);
}

void dtls_handshake_end(struct dtls_server *server, struct dtls_peer *peer, const char *why)
{
    if (why != NULL)
        log_failure(server, &peer->address, why);
    server->library->SSL_free(peer->handshake.ssl);
    counter_add(&server->options.counters->handshakes_failed, 1);
    dtls_peers_end_handshake(&server->peers, peer);
}

static const char *reason_of_library(const struct dtls_server *server, const SSL *ssl,
                                     char why[WHY_SIZE])
{
    const struct tls_library *library = server->library;
    long verified = library->SSL_get_verify_result(ssl);
    const char *reason = tls_library_reason(library, "the client ended it");
    snprintf(why, WHY_SIZE, "%s%s%s", reason, verified == X509_V_OK ? "" : ": ",
             verified == X509_V_OK ? "" : library->X509_verify_cert_error_string(verified));
    return why;
}

/* --- completion ------------------------------------------------------------------------------- */

/* Takes the name from the client's certificate, unless a pre-shared key has proved it. */
static void find_name(struct dtls_server *server, struct dtls_peer *peer)
{
    uint64_t suppressed;
    char *name = peer->handshake.name;
    if (name[0] != '\0' ||
        tls_name_text(server->library, peer->handshake.ssl, name) != TLS_NAME_UNUSABLE ||
        !log_allowed(&server->log_names, &suppressed))
        return;
    char address[ADDRESS_TEXT_SIZE];
    address_format(&peer->address, address);
    log_about(LOG_WARNING, LOG_OF_LISTENER, server->options.listener->name,
              "the certificate of %s has no common name that can be a sender's name: up to 63 "
              "letters, digits, '.', '_' and '-', first a letter or a digit",
              address);
}

/*
 * Turns the handshake into the client's session. The client's previous session ends, because a
 * client with a new handshake no longer uses it. If other clients took the last free sessions
 * during the handshake, the handshake ends instead, and an alert notifies its client.
 */
static void complete(struct dtls_server *server, struct dtls_peer *peer, int64_t now_ns)
{
    struct ingest_counters *counters = server->options.counters;
    if (peer->session.ssl == NULL && dtls_peers_have_all_sessions(&server->peers)) {
        server->library->SSL_shutdown(peer->handshake.ssl);
        dtls_handshake_end(server, peer, too_many_sessions);
        return;
    }
    find_name(server, peer);
    if (peer->session.ssl != NULL)
        dtls_session_end(server, peer, &counters->sessions_replaced, false);
    dtls_peers_establish(&server->peers, peer, now_ns);
    counter_add(&counters->sessions, 1);
    dtls_due(server, now_ns + server->options.listener->dtls->idle_ns);
}

/* --- steps ------------------------------------------------------------------------------------ */

/*
 * Sets the time at which `expire` must repeat the server's messages if the client has not answered
 * them.
 */
static void schedule(struct dtls_server *server, SSL *ssl, int64_t now_ns)
{
    struct timeval left = {0};
    int64_t left_ns = SECOND_NS;
    if (server->library->SSL_ctrl(ssl, DTLS_CTRL_GET_TIMEOUT, 0, &left) == 1)
        left_ns = (int64_t)left.tv_sec * SECOND_NS + (int64_t)left.tv_usec * 1000;
    dtls_due(server, now_ns + left_ns);
}

static void spend(struct dtls_server *server, const struct dtls_peer *peer, int64_t began_ns,
                  int64_t now_ns)
{
    dtls_time_spend(&server->time, peer->host, clock_monotonic_ns() - began_ns, now_ns);
}

static void make_step(struct dtls_server *server, struct dtls_peer *peer,
                      const struct dtls_record *record, int64_t now_ns)
{
    const struct tls_library *library = server->library;
    SSL *ssl = peer->handshake.ssl;
    char why[WHY_SIZE];
    size_t size = 0;
    int64_t began_ns = clock_monotonic_ns();
    dtls_begin_call(server, peer, record);
    server->shaking = peer;
    int result = library->SSL_read_ex(ssl, server->plain, sizeof server->plain, &size);
    server->shaking = NULL;
    spend(server, peer, began_ns, now_ns);
    int error = result == 1 ? SSL_ERROR_NONE : library->SSL_get_error(ssl, result);
    if (!library->SSL_in_init(ssl))
        complete(server, peer, now_ns);
    else if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        schedule(server, ssl, now_ns);
    else
        dtls_handshake_end(server, peer, reason_of_library(server, ssl, why));
}

/* Returns true if OpenSSL needs no more memory for the record than planned. */
static bool is_within_limits(const struct dtls_server *server, struct dtls_peer *peer,
                             const struct dtls_record *record)
{
    if (record->epoch != 0)
        return record->type != DTLS_APPLICATION_DATA && ++peer->encrypted <= ENCRYPTED_MOST;
    return record->type != DTLS_HANDSHAKE ||
           dtls_messages_are_small(record, server->options.listener->dtls->certificates);
}

void dtls_handshake_advance(struct dtls_server *server, struct dtls_peer *peer,
                            const struct dtls_input *input)
{
    if (++peer->records > RECORDS_MOST)
        dtls_handshake_end(server, peer, "it has more than 256 records");
    else if (is_within_limits(server, peer, &input->record))
        make_step(server, peer, &input->record, input->now_ns);
}

/* --- the beginning ---------------------------------------------------------------------------- */

static void send_cookie(struct dtls_server *server, const struct dtls_input *input,
                        const struct dtls_hello *hello)
{
    const struct dtls_server_options *options = &server->options;
    uint8_t cookie[DTLS_COOKIE_SIZE];
    uint8_t answer[DTLS_VERIFY_REQUEST_SIZE];
    RULE(dtls_record_size(&input->record) >= sizeof answer, "no answer is longer than the request");
    dtls_cookie_make(&server->cookies, input->source, hello, cookie);
    dtls_verify_request_write(&input->record, cookie, answer);
    if (options->answer(options->context, input->destination, input->source, answer, sizeof answer))
        counter_add(&options->counters->cookies, 1);
    else
        counter_add(&options->counters->answers_unsent, 1);
}

static bool must_yield(const struct dtls_peer *old, const struct dtls_peer *client, int64_t now_ns)
{
    return old->host->handshakes > client->host->handshakes + 1 ||
           now_ns - old->handshake.since_ns >= PATIENCE_NS;
}

static struct dtls_peer *add_client(struct dtls_server *server, const struct address *client)
{
    struct dtls_peer *peer = dtls_peers_add(&server->peers, client);
    if (peer == NULL)
        log_failure(server, client,
                    dtls_peers_have_all_sessions(&server->peers)
                        ? too_many_sessions
                        : "its address has as many sessions as sessions_per_address= allows");
    return peer;
}

static SSL *read_hello(struct dtls_server *server, const struct dtls_input *input)
{
    const struct tls_library *library = server->library;
    library->ERR_clear_error();
    SSL *ssl = library->SSL_new(server->options.listener->dtls->tls.context);
    BIO_ADDR *nowhere = library->BIO_ADDR_new();
    server->wire.to = NULL;
    server->wire.input = &input->record;
    bool accepted = false;
    if (ssl != NULL && nowhere != NULL && library->SSL_set_ex_data(ssl, 0, server) == 1 &&
        dtls_bio_attach(library, ssl, &server->wire)) {
        library->SSL_set_accept_state(ssl);
        library->SSL_ctrl(ssl, SSL_CTRL_SET_MTU, MTU, NULL);
        accepted = library->DTLSv1_listen(ssl, nowhere) > 0;
    }
    server->wire.input = NULL;
    library->BIO_ADDR_free(nowhere);
    if (accepted)
        return ssl;
    library->SSL_free(ssl);
    return NULL;
}

static SSL *accept_hello(struct dtls_server *server, const struct dtls_peer *peer,
                         const struct dtls_input *input)
{
    const int64_t began_ns = clock_monotonic_ns();
    SSL *ssl = read_hello(server, input);
    spend(server, peer, began_ns, input->now_ns);
    return ssl;
}

static enum dtls_outcome begin_handshake(struct dtls_server *server, struct dtls_peer *peer,
                                         const struct dtls_input *input,
                                         const struct dtls_hello *hello)
{
    if (peer == NULL)
        peer = add_client(server, input->source);
    if (peer == NULL)
        return DTLS_REFUSED;
    struct dtls_peer *old = dtls_peers_crowding(&server->peers, peer);
    bool has_room = old == NULL || must_yield(old, peer, input->now_ns);
    SSL *ssl = has_room ? accept_hello(server, peer, input) : NULL;
    if (ssl == NULL) {
        dtls_peers_drop(&server->peers, peer);
        return DTLS_REFUSED;
    }
    if (old != NULL)
        dtls_handshake_end(server, old, "there were too many handshakes at the same time");
    if (input->destination != NULL)
        peer->local = *input->destination;
    memcpy(peer->random, hello->random, sizeof peer->random);
    dtls_peers_begin(&server->peers, peer, ssl, input->now_ns);
    counter_add(&server->options.counters->handshakes, 1);
    make_step(server, peer, NULL, input->now_ns);
    return DTLS_SERVED;
}

/*
 * A hello with a valid cookie is not forged. If its client already has a handshake, the client has
 * begun again, for example after a restart with the same port, so the old handshake ends.
 *
 * A hello with the same random bytes as the client's last one is ignored: the network, or an
 * attacker that saw it, has repeated it. If the host has no time left for a handshake, the hello is
 * refused and the old handshake continues.
 */
enum dtls_outcome dtls_handshake_hello(struct dtls_server *server, struct dtls_peer *peer,
                                       const struct dtls_input *input,
                                       const struct dtls_hello *hello)
{
    dtls_cookies_change(&server->cookies, input->now_ns);
    if (hello->message != 1 || !dtls_cookie_is_valid(&server->cookies, input->source, hello)) {
        send_cookie(server, input, hello);
        return DTLS_SERVED;
    }
    if (peer != NULL && memcmp(peer->random, hello->random, sizeof peer->random) == 0)
        return DTLS_SERVED;
    if (!dtls_time_allows(&server->time, dtls_peers_host(&server->peers, input->source),
                          input->now_ns))
        return DTLS_REFUSED;
    if (peer != NULL && peer->handshake.ssl != NULL) {
        dtls_handshake_end(server, peer, NULL);
        peer = dtls_peers_find(&server->peers, input->source);
    }
    return begin_handshake(server, peer, input, hello);
}

/* --- time ------------------------------------------------------------------------------------- */

static void expire_handshake(struct dtls_server *server, struct dtls_peer *peer, int64_t now_ns)
{
    SSL *ssl = peer->handshake.ssl;
    char why[WHY_SIZE];
    if (now_ns - peer->handshake.since_ns >= DTLS_HANDSHAKE_NS) {
        dtls_handshake_end(server, peer, "it was not complete after 15 s");
        return;
    }
    dtls_begin_call(server, peer, NULL);
    if (server->library->SSL_ctrl(ssl, DTLS_CTRL_HANDLE_TIMEOUT, 0, NULL) < 0)
        dtls_handshake_end(server, peer, reason_of_library(server, ssl, why));
    else
        schedule(server, ssl, now_ns);
}

void dtls_handshakes_expire(struct dtls_server *server, int64_t now_ns)
{
    struct dtls_peer *after;
    for (struct dtls_peer *peer = server->peers.handshakes.first; peer != NULL; peer = after) {
        after = peer->handshake.place.after;
        expire_handshake(server, peer, now_ns);
    }
}
