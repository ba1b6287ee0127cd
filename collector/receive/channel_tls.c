/* Implements channel_tls.h with OpenSSL. */
#include "collector/receive/channel_tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/tcp.h"
#include "collector/receive/stream_connection.h"
#include "collector/receive/tls_handshake.h"
#include "collector/receive/tls_library.h"
#include "collector/receive/tls_name.h"
#include "collector/receive/tls_settings.h"

/*
 * The most bytes that one receive reads from the socket. Without a limit, a peer that sends many
 * records without data, such as key updates, could delay other connections.
 */
#define RECEIVE_MOST (2 * STREAM_READ_SIZE)

/* The type of a handshake record (RFC 8446, 5.1). Each client begins with one. */
#define RECORD_HANDSHAKE 22

/* Bytes that OpenSSL allocates when it is loaded (measured: 5 MiB with 3.0, 6.1 MiB with 3.5). */
#define LIBRARY_MEMORY ((size_t)7 * 1024 * 1024)

struct tls_listener {
    struct tls_settings settings;
    struct tls_budget *budget;
};

struct tls_session {
    const struct tls_library *library;
    wait_handle socket;
    SSL *ssl;
    size_t left;               /* bytes that the present receive may still read from the socket */
    enum tcp_result at_socket; /* result of the last read from or write to the socket */
    enum channel_result ended; /* result with which the channel has ended; CHANNEL_OK if it has not
                                * ended */
    struct tls_handshake handshake; /* limits of the handshake; not used after it */
    const char *too_much;           /* names the limit that the peer exceeded; NULL if it has
                                     * exceeded none */
    bool heard;
    bool no_tls;
    bool renegotiates;              /* the peer requested a renegotiation */
    bool finished;                  /* the sending direction has ended; input is discarded */
    char why[CHANNEL_FAILURE_SIZE]; /* the reason for which the channel failed */
};

/* --- the library ------------------------------------------------------------------------------ */

static int tls_load(struct error *error)
{
    return tls_library(error) != NULL ? 0 : -1;
}

/* --- the socket as a BIO ---------------------------------------------------------------------- */

/* Reports to OpenSSL that the socket would block. `wants` is the direction to wait for. */
static int tls_retry(const struct tls_session *session, BIO *bio, int wants)
{
    session->library->BIO_set_flags(bio, wants | BIO_FLAGS_SHOULD_RETRY);
    return -1;
}

static struct tls_session *begin_call(const struct tls_library *library, BIO *bio)
{
    struct tls_session *session = library->BIO_get_data(bio);
    RULE(session != NULL && session->library == library, "a BIO is called while its session lives");
    library->BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    return session;
}

/* Set by the main thread before other threads use them. */
static const struct tls_library *loaded;
static BIO_METHOD *sockets;

static bool is_within_limits(struct tls_session *session, const char *bytes, size_t size)
{
    if (session->handshake.budget == NULL)
        return true;
    bool is_old = session->library->SSL_version(session->ssl) == TLS1_2_VERSION;
    session->too_much =
        tls_handshake_read(&session->handshake, (const uint8_t *)bytes, size, is_old);
    return session->too_much == NULL;
}

static int read_socket(BIO *bio, char *to, int size)
{
    struct tls_session *session = begin_call(loaded, bio);
    size_t most = (size_t)size < session->left ? (size_t)size : session->left;
    size_t done = 0;
    if (most == 0)
        return tls_retry(session, bio, BIO_FLAGS_READ);
    session->at_socket = tcp_connection_receive(session->socket, to, most, &done);
    if (session->at_socket == TCP_WOULD_BLOCK)
        return tls_retry(session, bio, BIO_FLAGS_READ);
    if (session->at_socket != TCP_OK)
        return session->at_socket == TCP_END ? 0 : -1;
    if (!session->heard)
        session->no_tls = (unsigned char)to[0] != RECORD_HANDSHAKE;
    session->heard = true;
    session->left -= done;
    return is_within_limits(session, to, done) ? (int)done : -1;
}

static int write_socket(BIO *bio, const char *from, int size)
{
    struct tls_session *session = begin_call(loaded, bio);
    size_t done = 0;
    session->at_socket = tcp_connection_send(session->socket, from, (size_t)size, &done);
    if (session->at_socket == TCP_WOULD_BLOCK)
        return tls_retry(session, bio, BIO_FLAGS_WRITE);
    return session->at_socket == TCP_OK ? (int)done : -1;
}

/*
 * Answers OpenSSL's commands to the BIO. For BIO_CTRL_EOF it returns 0 even after the end of the
 * socket. Otherwise OpenSSL would treat this as the end of TLS, although complete data must still
 * be read and answers sent.
 */
static long control_socket(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static bool make_sockets(const struct tls_library *library)
{
    loaded = library;
    if (sockets != NULL)
        return true;
    sockets =
        library->BIO_meth_new(library->BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
    return sockets != NULL && library->BIO_meth_set_read(sockets, read_socket) == 1 &&
           library->BIO_meth_set_write(sockets, write_socket) == 1 &&
           library->BIO_meth_set_ctrl(sockets, control_socket) == 1;
}

/* --- the end of a channel --------------------------------------------------------------------- */

static enum channel_result tls_fail(struct tls_session *session, const char *what,
                                    const char *detail)
{
    snprintf(session->why, sizeof session->why, "TLS failed: %s%s%s%s",
             session->no_tls ? "the first bytes are not TLS: " : "", what,
             detail != NULL ? ": " : "", detail != NULL ? detail : "");
    return CHANNEL_FAILED;
}

static enum channel_result tls_fail_by_library(struct tls_session *session)
{
    const struct tls_library *library = session->library;
    long verified = library->SSL_get_verify_result(session->ssl);
    return tls_fail(session, tls_library_reason(library, "unknown reason"),
                    verified == X509_V_OK ? NULL
                                          : library->X509_verify_cert_error_string(verified));
}

/* Returns the result for a socket that ended without an alert of TLS. */
static enum channel_result ends_by_socket(struct tls_session *session, bool opening)
{
    if (session->at_socket != TCP_END)
        return CHANNEL_BROKEN;
    /* A client that sent nothing may only have checked that the port is open. */
    return opening && session->heard ? tls_fail(session, "the peer ended the handshake", NULL)
                                     : CHANNEL_END;
}

static enum channel_result tls_map_result(struct tls_session *session, int result, bool opening)
{
    switch (session->library->SSL_get_error(session->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return CHANNEL_WANTS_IN;
    case SSL_ERROR_WANT_WRITE:
        return CHANNEL_WANTS_OUT;
    case SSL_ERROR_ZERO_RETURN:
        return opening ? tls_fail(session, "the peer ended the handshake", NULL) : CHANNEL_END;
    case SSL_ERROR_SYSCALL:
        return ends_by_socket(session, opening);
    default:
        return tls_fail_by_library(session);
    }
}

static bool is_for_good(enum channel_result result)
{
    return result != CHANNEL_OK && result != CHANNEL_WANTS_IN && result != CHANNEL_WANTS_OUT;
}

/* --- channels --------------------------------------------------------------------------------- */

/*
 * Notes the alert with which OpenSSL refuses a renegotiation. OpenSSL would continue; the
 * connection is closed because of this note.
 */
static void note_alert(const SSL *ssl, int where, int value)
{
    struct tls_session *session = loaded->SSL_get_ex_data(ssl, 0);
    RULE(session != NULL && session->ssl == ssl, "an alert reaches the session that it belongs to");
    if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT &&
        (value & 0xff) == SSL_AD_NO_RENEGOTIATION)
        session->renegotiates = true;
}

static void free_session(struct tls_session *session)
{
    session->library->SSL_free(session->ssl); /* this also frees its BIO; NULL is allowed */
    tls_handshake_end(&session->handshake);
    free(session);
}

static bool tls_begin(struct stream_channel *channel, void *context, struct stream_share *share)
{
    const struct tls_listener *listener = context;
    const struct tls_handshake_sizes sizes = {.chain = listener->settings.chain,
                                              .certificates = listener->settings.certificates};
    const struct tls_library *library = listener->settings.library;
    RULE(library == loaded && sockets != NULL, "channels begin after the library was loaded");
    struct tls_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return false;
    library->ERR_clear_error();
    session->library = library;
    session->socket = channel->socket;
    tls_handshake_begin(&session->handshake, listener->budget, share, &sizes);
    session->ssl = library->SSL_new(listener->settings.context);
    BIO *bio = session->ssl != NULL ? library->BIO_new(sockets) : NULL;
    if (bio == NULL) {
        free_session(session);
        return false;
    }
    library->BIO_set_data(bio, session);
    library->BIO_set_init(bio, 1);
    library->SSL_set_bio(session->ssl, bio, bio);
    library->SSL_set_accept_state(session->ssl);
    if (library->SSL_set_ex_data(session->ssl, 0, session) != 1) {
        free_session(session);
        return false;
    }
    channel->session = session;
    channel->opening = true;
    return true;
}

/* Receives bytes that will be discarded. Reads them from the socket without decrypting them. */
static enum channel_result receive_useless(struct tls_session *session, void *to, size_t size,
                                           size_t *done)
{
    switch (tcp_connection_receive(session->socket, to, size, done)) {
    case TCP_OK:
        return CHANNEL_OK;
    case TCP_WOULD_BLOCK:
        return CHANNEL_WANTS_IN;
    case TCP_END:
        return CHANNEL_END;
    case TCP_BROKEN:
        break;
    }
    return CHANNEL_BROKEN;
}

/* Receives one record, or the remainder of one; *done is the number of bytes. */
static enum channel_result receive_record(struct stream_channel *channel, void *to, size_t size,
                                          size_t *done)
{
    struct tls_session *session = channel->session;
    const struct tls_library *library = session->library;
    *done = 0;
    library->ERR_clear_error(); /* other channels of this thread may have left errors in the
                                 * queue */
    int result = library->SSL_read_ex(session->ssl, to, size, done);
    channel->opening = channel->opening && library->SSL_in_init(session->ssl);
    if (!channel->opening && session->handshake.budget != NULL) {
        tls_handshake_end(&session->handshake);
        channel->is_named = tls_name(library, session->ssl, channel->name);
    }
    if (session->too_much != NULL)
        return tls_fail(session, session->too_much, NULL);
    if (session->renegotiates)
        return tls_fail(session, "renegotiation is not supported", NULL);
    return result == 1 ? CHANNEL_OK : tls_map_result(session, result, channel->opening);
}

/* Receives the records that were already read from the socket, while there is room for them. */
static enum channel_result tls_receive(struct stream_channel *channel, void *to, size_t size,
                                       size_t *done)
{
    struct tls_session *session = channel->session;
    enum channel_result result;
    bool pending;
    *done = 0;
    channel->holds = false;
    if (session->finished)
        return receive_useless(session, to, size, done);
    if (session->ended != CHANNEL_OK)
        return session->ended;
    session->left = RECEIVE_MOST;
    do {
        size_t got;
        result = receive_record(channel, (char *)to + *done, size - *done, &got);
        *done += got;
        RULE(*done <= size, "the library writes no more than there is room for");
        /*
         * SSL_has_pending must not be called after a failure: it reads the record layer, which
         * OpenSSL 3.5 may have freed.
         */
        pending = result == CHANNEL_OK && session->library->SSL_has_pending(session->ssl) == 1;
    } while (*done < size && pending);
    if (is_for_good(result))
        session->ended = result;
    if (*done == 0)
        return result;
    channel->holds = pending || is_for_good(result);
    return CHANNEL_OK;
}

static enum channel_result tls_send(struct stream_channel *channel, const void *bytes, size_t size,
                                    size_t *done)
{
    struct tls_session *session = channel->session;
    const struct tls_library *library = session->library;
    *done = 0;
    RULE(!session->finished, "a channel sends nothing after its end");
    if (session->ended == CHANNEL_FAILED || session->ended == CHANNEL_BROKEN)
        return CHANNEL_BROKEN;
    library->ERR_clear_error();
    int result = library->SSL_write_ex(session->ssl, bytes, size, done);
    if (result == 1)
        return CHANNEL_OK;
    enum channel_result why = tls_map_result(session, result, channel->opening);
    return why == CHANNEL_FAILED ? CHANNEL_BROKEN : why;
}

/* Sends the alert that ends TLS, unless the socket has no room for it now. */
static void say_end(struct stream_channel *channel)
{
    struct tls_session *session = channel->session;
    bool ended = session->ended == CHANNEL_FAILED || session->ended == CHANNEL_BROKEN;
    if (ended || channel->opening || session->finished)
        return;
    session->library->ERR_clear_error();
    session->library->SSL_shutdown(session->ssl);
}

static void tls_finish(struct stream_channel *channel)
{
    struct tls_session *session = channel->session;
    say_end(channel);
    session->finished = true;
    channel->holds = false;
    tcp_connection_finish(session->socket);
}

static void failure(const struct stream_channel *channel, char text[CHANNEL_FAILURE_SIZE])
{
    const struct tls_session *session = channel->session;
    RULE(session->ended == CHANNEL_FAILED, "only a channel that failed has a reason");
    memcpy(text, session->why, CHANNEL_FAILURE_SIZE);
}

static void tls_close(struct stream_channel *channel)
{
    say_end(channel);
    free_session(channel->session);
}

static void end_listener(void *context)
{
    struct tls_listener *listener = context;
    tls_settings_end(&listener->settings);
    tls_budget_leave(listener->budget);
    free(listener);
}

static const struct channel_ops channel_tls = {
    .begin = tls_begin,
    .receive = tls_receive,
    .send = tls_send,
    .finish = tls_finish,
    .failure = failure,
    .close = tls_close,
    .end = end_listener,
};

/* --- listeners -------------------------------------------------------------------------------- */

static int tls_make_parts(struct tls_listener *listener, const struct channel_tls_options *options,
                          struct error *error)
{
    const struct tls_library *library = listener->settings.library;
    listener->budget = tls_budget_create(options->connections);
    if (listener->budget == NULL || !make_sockets(library))
        return error_no_memory(error);
    if (tls_settings_read(&listener->settings, options, error) != 0)
        return -1;
    library->SSL_CTX_set_info_callback(listener->settings.context, note_alert);
    return 0;
}

static int tls_make_kind(const struct channel_tls_options *options, struct channel_kind *kind,
                         struct error *error)
{
    const struct tls_library *library = tls_library(error);
    if (library == NULL)
        return -1;
    struct tls_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return error_no_memory(error);
    listener->settings.library = library;
    int result = tls_make_parts(listener, options, error);
    if (result == 0)
        *kind = (struct channel_kind){.ops = &channel_tls, .context = listener};
    else
        end_listener(listener);
    return result;
}

static size_t tls_memory(size_t connections)
{
    return LIBRARY_MEMORY + connections * TLS_CONNECTION_MEMORY;
}

static const struct tls_channels by_openssl = {
    .library = tls_library_version,
    .load = tls_load,
    .make_kind = tls_make_kind,
    .memory = tls_memory,
};

const struct tls_channels *const tls_channels = &by_openssl;
