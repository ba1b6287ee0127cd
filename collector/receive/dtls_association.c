/* Functions that both handshakes and sessions use. */
#include "collector/receive/dtls_server.h"

void dtls_begin_call(struct dtls_server *server, const struct dtls_peer *peer,
                     const struct dtls_record *input)
{
    server->library->ERR_clear_error(); /* other sessions of this thread may have left errors in the
                                         * queue */
    server->wire.from = &peer->local;
    server->wire.to = &peer->address;
    server->wire.input = input;
}

void dtls_session_end(struct dtls_server *server, struct dtls_peer *peer, struct counter *ended,
                      bool orderly)
{
    if (orderly) {
        dtls_begin_call(server, peer, NULL);
        server->library->SSL_shutdown(peer->session.ssl);
    }
    server->library->SSL_free(peer->session.ssl);
    counter_add(ended, 1);
    dtls_peers_end_session(&server->peers, peer);
}

void dtls_due(struct dtls_server *server, int64_t due_ns)
{
    if (due_ns < server->due_ns)
        server->due_ns = due_ns;
}
