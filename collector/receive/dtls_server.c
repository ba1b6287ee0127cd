/* Implements dtls.h with OpenSSL. */
#include "collector/receive/dtls_server.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/receive/dtls_handshake.h"

/* --- the server ------------------------------------------------------------------------------- */

struct dtls_server *dtls_server_create(const struct dtls_server_options *options)
{
    const struct listener *listener = options->listener;
    const struct dtls_room room = {.sessions = listener->sessions,
                                   .handshakes = DTLS_HANDSHAKES_MOST,
                                   .of_host = listener->sessions_per_address,
                                   .kept = DTLS_TIME_HOSTS};
    const int64_t now_ns = clock_monotonic_ns();
    uint8_t secret[16];
    struct error error;
    struct dtls_server *server = calloc(1, sizeof *server);
    RULE(listener->dtls != NULL, "the server of a listener with settings for DTLS");
    if (server == NULL)
        return NULL;
    server->options = *options;
    server->library = listener->dtls->tls.library;
    server->wire.options = &server->options;
    server->due_ns = INT64_MAX;
    dtls_time_begin(&server->time, &server->peers.hosts, now_ns);
    if (random_bytes(secret, sizeof secret, &error) == 0 &&
        dtls_cookies_begin(&server->cookies, now_ns, &error) == 0 &&
        dtls_peers_create(&server->peers, &room, secret))
        return server;
    dtls_server_destroy(server);
    return NULL;
}

/* Ends all handshakes and sessions. With `orderly`, notifies the client of each session. */
static void end_all(struct dtls_server *server, bool orderly)
{
    while (server->peers.handshakes.first != NULL)
        dtls_handshake_end(server, server->peers.handshakes.first, NULL);
    while (server->peers.sessions.first != NULL)
        dtls_session_end(server, server->peers.sessions.first,
                         &server->options.counters->sessions_stopped, orderly);
}

void dtls_server_destroy(struct dtls_server *server)
{
    if (server == NULL)
        return;
    end_all(server, false);
    dtls_peers_destroy(&server->peers);
    free(server);
}

void dtls_server_finish(struct dtls_server *server)
{
    end_all(server, true);
}

/* --- records ---------------------------------------------------------------------------------- */

static enum dtls_outcome decrypt(struct dtls_server *server, struct dtls_peer *peer,
                                 const struct dtls_input *input, struct dtls_plain *plain)
{
    const struct tls_library *library = server->library;
    const struct dtls_record *record = &input->record;
    SSL *ssl = peer->session.ssl;
    size_t size = 0;
    dtls_begin_call(server, peer, record);
    int result = library->SSL_read_ex(ssl, server->plain, sizeof server->plain, &size);
    if (result == 1) {
        RULE(size <= sizeof server->plain, "the library writes no more than there is room for");
        dtls_peer_see(peer, record->sequence);
        if (input->destination != NULL)
            peer->local = *input->destination;
        dtls_peers_note(&server->peers, peer, input->now_ns);
        const char *name = peer->session.name;
        *plain = (struct dtls_plain){server->plain, size, name[0] != '\0' ? name : NULL};
        return DTLS_PLAIN;
    }
    struct ingest_counters *counters = server->options.counters;
    switch (library->SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        break;
    case SSL_ERROR_ZERO_RETURN:
        dtls_session_end(server, peer, &counters->sessions_closed, true);
        return DTLS_SERVED;
    default:
        dtls_session_end(server, peer, &counters->sessions_broken, false);
        return DTLS_SERVED;
    }
    if (record->type != DTLS_APPLICATION_DATA)
        return DTLS_SERVED;
    return dtls_peer_has_seen(peer, record->sequence) ? DTLS_REPLAYED : DTLS_FORGED;
}

/*
 * Handles an encrypted record. During a new handshake of a client with a session, the record may
 * belong to either, so both are tried.
 */
static enum dtls_outcome take_encrypted(struct dtls_server *server, struct dtls_peer *peer,
                                        const struct dtls_input *input, struct dtls_plain *plain)
{
    enum dtls_outcome outcome = DTLS_NO_SESSION;
    bool has_handshake = peer->handshake.ssl != NULL;
    if (peer->session.ssl != NULL)
        outcome = decrypt(server, peer, input, plain);
    if (outcome == DTLS_PLAIN || !has_handshake || input->record.type == DTLS_APPLICATION_DATA)
        return outcome;
    dtls_handshake_advance(server, peer, input);
    return DTLS_SERVED;
}

enum dtls_outcome dtls_server_take(struct dtls_server *server, const struct dtls_input *input,
                                   struct dtls_plain *plain)
{
    struct dtls_hello hello;
    struct dtls_peer *peer = dtls_peers_find(&server->peers, input->source);
    if (dtls_hello_read(&input->record, &hello))
        return dtls_handshake_hello(server, peer, input, &hello);
    if (peer == NULL)
        return DTLS_NO_SESSION;
    if (input->record.epoch != 0)
        return take_encrypted(server, peer, input, plain);
    /*
     * If there is no handshake, the record is a late repetition from the handshake that made the
     * session, and is ignored.
     */
    if (peer->handshake.ssl != NULL)
        dtls_handshake_advance(server, peer, input);
    return DTLS_SERVED;
}

/* --- time ------------------------------------------------------------------------------------- */

static void end_idle(struct dtls_server *server, int64_t now_ns)
{
    const int64_t idle_ns = server->options.listener->dtls->idle_ns;
    struct dtls_peer *first;
    while ((first = server->peers.sessions.first) != NULL) {
        if (now_ns - first->session.since_ns < idle_ns) {
            dtls_due(server, first->session.since_ns + idle_ns);
            return;
        }
        dtls_session_end(server, first, &server->options.counters->sessions_idle, true);
    }
}

int64_t dtls_server_expire(struct dtls_server *server, int64_t now_ns)
{
    if (server->idle_ns != server->options.listener->dtls->idle_ns)
        server->due_ns = now_ns; /* checks all sessions now, because a reload has changed idle_ns */
    if (now_ns < server->due_ns)
        return server->due_ns;
    server->idle_ns = server->options.listener->dtls->idle_ns;
    server->due_ns = INT64_MAX;
    dtls_handshakes_expire(server, now_ns);
    end_idle(server, now_ns);
    return server->due_ns;
}

/* --- listeners -------------------------------------------------------------------------------- */

static int load(struct error *error)
{
    const struct tls_library *library = tls_library(error);
    if (library == NULL)
        return -1;
    return dtls_bio_prepare(library) ? 0 : error_no_memory(error);
}

static int make(const struct dtls_options *options, struct dtls_settings **settings,
                struct error *error)
{
    if (load(error) != 0 || dtls_settings_make(options, settings, error) != 0)
        return -1;
    dtls_handshake_prepare(*settings);
    return 0;
}

/*
 * Returns the memory of a server if every handshake uses all that it may, although most use a
 * tenth.
 */
static size_t server_memory(size_t sessions)
{
    const struct dtls_room room = {
        .sessions = sessions, .handshakes = DTLS_HANDSHAKES_MOST, .kept = DTLS_TIME_HOSTS};
    return sizeof(struct dtls_server) + dtls_peers_memory(&room) + sessions * DTLS_SESSION_MEMORY +
           DTLS_HANDSHAKES_MOST * DTLS_HANDSHAKE_MEMORY;
}

static const struct dtls_functions functions = {
    .load = load,
    .make = make,
    .free = dtls_settings_free,
    .memory = server_memory,
    .create = dtls_server_create,
    .destroy = dtls_server_destroy,
    .take = dtls_server_take,
    .expire = dtls_server_expire,
    .finish = dtls_server_finish,
};

const struct dtls_functions *const dtls_functions = &functions;
