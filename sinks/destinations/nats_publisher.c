#include "sinks/destinations/nats_publisher.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/platform/sandbox.h"
#include "collector/platform/thread.h"
#include "collector/text/copy.h"
#include "sinks/destinations/end_within.h"
#include "sinks/destinations/jetstream_answer.h"
#include "sinks/destinations/message_id.h"
#include "sinks/destinations/nats_flights.h"
#include "sinks/destinations/nats_settings.h"
#include "sinks/destinations/nats_subject.h"
#include "sinks/destinations/nats_token.h"

/*
 * The timeout of a block is divided by this number. After such a part without an answer the block
 * is published again, because an answer can be lost and the library has no time limit for answers.
 */
#define TRIES 3

/* The first and the longest pause between two attempts to connect. */
#define CONNECT_WAIT_MS      250
#define CONNECT_WAIT_MOST_MS 5000

#define RECONNECT_POLL_MS 1000 /* poll interval while the library reconnects */
#define CLOSE_POLL_MS     100  /* interval of the checks for the library's last callbacks */
#define CLOSE_POLLS       100  /* maximum number of these checks */
#define END_MS            500  /* time limit of nats_publisher_destroy */

#define REPLY_SIZE 160

/* Assumed maximum size of a message's headers. Messages refused as too large are divided. */
#define HEADERS_SIZE 512

struct nats_publisher {
    /* The pointers from the caller may become invalid before the thread ends. */
    struct nats_publisher_options options;
    char *name; /* name of the sink */
    struct broker_place place;
    const struct nats_library *library;
    natsOptions *settings;
    char collector[HOST_NAME_SIZE];
    struct log_limit report_log; /* limits the log lines about reports of the library's threads */

    struct mutex *mutex; /* protects `flights`, `away` and options.sink */
    struct nats_flights flights;
    struct error away; /* why there is no connection; empty if connected or not yet tried */

    /* Figures of connections: written by the publisher's thread; the others: under `mutex`. */
    struct delivery_figures figures;
    _Atomic uint64_t reconnects; /* number of reconnects by the library */

    struct wakeup *own; /* wakes the publisher's thread */
    struct thread *thread;
    atomic_bool stopping;

    /* Used only by the publisher's thread. */
    natsConnection *connection; /* NULL: not connected */
    natsSubscription *answers;
    natsInbox *inbox; /* the prefix of all reply subjects */
    /* How many were created, and for how many the library has made its last callback. */
    size_t connections, subscriptions;
    atomic_size_t closed, unsubscribed;
};

/* --- answers: the library's thread ------------------------------------------------------------ */

/* Reads the token from an answer's subject, which is the inbox followed by the token. */
static bool read_token(const struct nats_publisher *publisher, const char *subject,
                       struct nats_token *token)
{
    size_t length = strlen(publisher->inbox);
    return strncmp(subject, publisher->inbox, length) == 0 &&
           nats_token_parse(subject + length, token);
}

static void note_unanswered(struct nats_publisher *publisher)
{
    delivery_figure_set(&publisher->figures, FIGURE_MESSAGES, publisher->flights.unanswered);
}

static void note_answer(struct nats_publisher *publisher, const struct nats_token *token,
                        enum delivery_outcome outcome, enum delivery_reason reason, const char *why)
{
    mutex_lock(publisher->mutex);
    enum nats_progress progress =
        nats_flights_answer(&publisher->flights, token, outcome, reason, why);
    if (progress == NATS_DIVIDED)
        wakeup_signal(publisher->own);
    else if (progress == NATS_BLOCK_DONE && publisher->options.sink != NULL)
        wakeup_signal(publisher->options.sink);
    note_unanswered(publisher);
    mutex_unlock(publisher->mutex);
}

static void on_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                      void *closure)
{
    (void)connection;
    (void)subscription;
    struct nats_publisher *publisher = closure;
    const struct nats_library *library = publisher->library;
    struct nats_token token;
    if (!read_token(publisher, library->natsMsg_GetSubject(message), &token)) {
        library->natsMsg_Destroy(message);
        return;
    }
    if (library->natsMsg_IsNoResponders(message)) {
        note_answer(publisher, &token, DELIVERY_NOT_SENT, DELIVERY_REJECTED,
                    "no stream takes this subject now");
    } else {
        struct jetstream_answer answer = jetstream_answer_read(
            library->natsMsg_GetData(message), (size_t)library->natsMsg_GetDataLength(message));
        note_answer(publisher, &token, answer.outcome, answer.reason,
                    answer.outcome == DELIVERY_ACKNOWLEDGED ? NULL : answer.text);
    }
    library->natsMsg_Destroy(message);
}

static void on_unsubscribed(void *closure)
{
    struct nats_publisher *publisher = closure;
    atomic_fetch_add(&publisher->unsubscribed, 1);
}

static void on_closed(natsConnection *connection, void *closure)
{
    (void)connection;
    struct nats_publisher *publisher = closure;
    atomic_fetch_add(&publisher->closed, 1);
}

static void on_reconnected(natsConnection *connection, void *closure)
{
    (void)connection;
    struct nats_publisher *publisher = closure;
    atomic_fetch_add(&publisher->reconnects, 1);
    wakeup_signal(publisher->own);
}

/* For errors that a server reports by itself, for example that a publication is not permitted. */
static void publisher_on_error(natsConnection *connection, natsSubscription *subscription,
                               natsStatus status, void *closure)
{
    (void)subscription;
    struct nats_publisher *publisher = closure;
    const char *text = NULL;
    char subject[DELIVERY_ROUTE_SIZE];
    publisher->library->natsConnection_GetLastError(connection, &text);
    if (text == NULL || *text == '\0')
        text = publisher->library->natsStatus_GetText(status);
    if (status == NATS_NOT_PERMITTED && nats_subject_read_denied(text, subject)) {
        mutex_lock(publisher->mutex);
        if (nats_flights_deny(&publisher->flights, subject, text) &&
            publisher->options.sink != NULL)
            wakeup_signal(publisher->options.sink);
        note_unanswered(publisher);
        mutex_unlock(publisher->mutex);
    }
    uint64_t suppressed;
    if (log_allowed(&publisher->report_log, &suppressed))
        log_about(LOG_WARNING, LOG_OF_SINK, publisher->name, "the server reports: %s", text);
}

/* --- the connection --------------------------------------------------------------------------- */

static bool subscribe(struct nats_publisher *publisher)
{
    const struct nats_library *library = publisher->library;
    char subject[REPLY_SIZE];
    if (library->natsInbox_Create(&publisher->inbox) != NATS_OK)
        return false;
    snprintf(subject, sizeof subject, "%s.>", publisher->inbox);
    if (library->natsConnection_Subscribe(&publisher->answers, publisher->connection, subject,
                                          on_answer, publisher) != NATS_OK)
        return false;
    /*
     * If this fails, on_unsubscribed is not awaited, because without messages no callback can come.
     */
    if (library->natsSubscription_SetOnCompleteCB(publisher->answers, on_unsubscribed, publisher) !=
        NATS_OK)
        return false;
    publisher->subscriptions++;
    return library->natsSubscription_SetPendingLimits(publisher->answers, -1, -1) == NATS_OK;
}

/*
 * `connects` is the number of connections that this thread made; the library's reconnects are
 * added.
 */
static void note_connection(struct nats_publisher *publisher, bool there, uint64_t connects)
{
    delivery_figure_set(&publisher->figures, FIGURE_CONNECTIONS, there);
    delivery_figure_set(&publisher->figures, FIGURE_CONNECTS,
                        connects + atomic_load(&publisher->reconnects));
}

static bool may_be_called(const struct nats_publisher *publisher)
{
    return atomic_load(&publisher->closed) != publisher->connections ||
           atomic_load(&publisher->unsubscribed) != publisher->subscriptions;
}

/*
 * Closes the connection, and returns when no more callbacks can come. If the library does not
 * confirm that in time, its objects are leaked, and at the end the publisher, too.
 */
static void disconnect(struct nats_publisher *publisher)
{
    const struct nats_library *library = publisher->library;
    if (publisher->connection == NULL)
        return;
    library->natsConnection_Close(publisher->connection);
    for (int i = 0; i < CLOSE_POLLS && may_be_called(publisher); i++)
        wakeup_wait(publisher->own, NO_HANDLE, false, CLOSE_POLL_MS);
    if (may_be_called(publisher)) {
        publisher->connection = NULL;
        publisher->answers = NULL;
        return;
    }
    library->natsSubscription_Destroy(publisher->answers);
    library->natsInbox_Destroy(publisher->inbox);
    library->natsConnection_Destroy(publisher->connection);
    publisher->connection = NULL;
    publisher->answers = NULL;
    publisher->inbox = NULL;
}

/*
 * `why` is the reason why there is no connection, or "" if there is one. Locks only for a change,
 * which is rare.
 */
static void note_away(struct nats_publisher *publisher, const char *why)
{
    if (strcmp(publisher->away.text, why) == 0)
        return;
    mutex_lock(publisher->mutex);
    bool changed = (publisher->away.text[0] == '\0') != (*why == '\0');
    error_set(&publisher->away, EXIT_CODE_NOT_REACHED, "%s", why);
    if (changed && publisher->options.sink != NULL)
        wakeup_signal(publisher->options.sink);
    mutex_unlock(publisher->mutex);
}

static bool connect_once(struct nats_publisher *publisher)
{
    struct error error;
    RULE(publisher->connection == NULL && publisher->answers == NULL,
         "there is one connection at a time");
    bool usable = nats_settings_connect(publisher->library, publisher->settings,
                                        &publisher->connection, &error);
    if (!usable)
        note_away(publisher, error.text);
    if (publisher->connection == NULL)
        return false;
    publisher->connections++;
    if (usable && subscribe(publisher))
        return true;
    disconnect(publisher);
    return false;
}

/* --- publishing ------------------------------------------------------------------------------- */

static natsStatus set_header(const struct nats_library *library, natsMsg *message, const char *name,
                             const char *value)
{
    return value == NULL ? NATS_OK : library->natsMsgHeader_Set(message, name, value);
}

static natsStatus set_headers(const struct nats_publisher *publisher, natsMsg *message,
                              const struct delivery_block *block, const struct record_range *range)
{
    const struct nats_library *library = publisher->library;
    unsigned wanted = publisher->options.headers;
    char id[MESSAGE_ID_SIZE];
    if (publisher->options.per_block && range->count != block->count)
        message_id_of_part(id, block, range->first, range->count);
    else
        message_id(id, block, range->first);
    natsStatus status = library->natsMsgHeader_Set(message, "Nats-Msg-Id", id);
    if (status == NATS_OK && (wanted & HEADER_SCHEMA) != 0)
        status = set_header(library, message, "schema", block->schema);
    if (status == NATS_OK && (wanted & HEADER_LISTENER) != 0)
        status = set_header(library, message, "listener", block->listener);
    if (status == NATS_OK && (wanted & HEADER_COLLECTOR) != 0)
        status = set_header(library, message, "collector", publisher->collector);
    if (status == NATS_OK && (wanted & HEADER_NUMBER) != 0) {
        message_id(id, block, range->first);
        status = set_header(library, message, "number", id);
    }
    return status;
}

static natsStatus create_message(const struct nats_publisher *publisher,
                                 const struct delivery_block *block,
                                 const struct record_range *range, const char *reply, natsMsg **out)
{
    const struct nats_library *library = publisher->library;
    size_t head = block->records[0].offset;
    size_t size = record_range_size(block, range);
    const uint8_t *bytes = block->bytes + block->records[range->first].offset;
    uint8_t *copy = NULL;
    if (!publisher->options.per_block) {
        size -= head;
        if (publisher->options.strips_newline && size != 0 && bytes[size - 1] == '\n')
            size--;
    } else if (range->first == 0) {
        bytes = block->bytes;
    } else if (head != 0) {
        bytes = copy = record_range_copy(block, range);
        if (copy == NULL)
            return NATS_NO_MEMORY;
    }
    natsStatus status =
        library->natsMsg_Create(out, block->route, reply, (const char *)bytes, (int)size);
    free(copy);
    return status;
}

/* The caller holds the lock. */
static natsStatus make_message(const struct nats_publisher *publisher,
                               const struct nats_token *token, natsMsg **out)
{
    struct record_range range;
    const struct delivery_block *block = nats_flights_block(&publisher->flights, token, &range);
    char its_token[NATS_TOKEN_SIZE];
    char reply[REPLY_SIZE];
    RULE(block != NULL, "the next message is in a block until the lock is released");
    nats_token_format(token, its_token);
    snprintf(reply, sizeof reply, "%s%s", publisher->inbox, its_token);
    if (!nats_subject_is_valid(block->route))
        return NATS_INVALID_SUBJECT;
    natsStatus status = create_message(publisher, block, &range, reply, out);
    if (status == NATS_OK)
        status = set_headers(publisher, *out, block, &range);
    return status;
}

/*
 * Returns the maximum size in bytes of a message without headers that the server accepts, or 0 if
 * unknown.
 */
static size_t most_of_server(const struct nats_publisher *publisher)
{
    int64_t most = publisher->library->natsConnection_GetMaxPayload(publisher->connection);
    if (most <= 0)
        return 0;
    return most > HEADERS_SIZE ? (size_t)(most - HEADERS_SIZE) : 1;
}

static void note_failure(struct nats_publisher *publisher, const struct nats_token *token,
                         natsStatus status)
{
    const char *why = publisher->library->natsStatus_GetText(status);
    switch (status) {
    case NATS_MAX_PAYLOAD:
        note_answer(publisher, token, DELIVERY_REFUSED, DELIVERY_TOO_LARGE, why);
        break;
    case NATS_INVALID_SUBJECT:
        note_answer(publisher, token, DELIVERY_REFUSED, DELIVERY_REJECTED, why);
        break;
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_INSUFFICIENT_BUFFER:
    case NATS_NO_MEMORY:
    case NATS_INVALID_ARG:
    case NATS_NO_SERVER_SUPPORT: /* the server does not support headers */
        note_answer(publisher, token, DELIVERY_NOT_SENT, DELIVERY_REJECTED, why);
        break;
    default: /* a part of the message may have been sent, so it waits for an answer */
        break;
    }
}

static bool publish_next(struct nats_publisher *publisher)
{
    struct nats_token token;
    natsMsg *message = NULL;
    size_t most = most_of_server(publisher);
    mutex_lock(publisher->mutex);
    publisher->flights.most = most;
    bool is_there = nats_flights_next(&publisher->flights, &token, clock_monotonic_ns());
    natsStatus status = NATS_OK;
    if (is_there)
        status = make_message(publisher, &token, &message);
    note_unanswered(publisher);
    mutex_unlock(publisher->mutex);
    if (!is_there)
        return false;
    if (status == NATS_OK)
        status = publisher->library->natsConnection_PublishMsg(publisher->connection, message);
    publisher->library->natsMsg_Destroy(message);
    if (status != NATS_OK)
        note_failure(publisher, &token, status);
    return true;
}

static void lose_flights(struct nats_publisher *publisher)
{
    mutex_lock(publisher->mutex);
    bool any = nats_flights_lose(&publisher->flights);
    note_unanswered(publisher);
    mutex_unlock(publisher->mutex);
    if (any && publisher->options.sink != NULL)
        wakeup_signal(publisher->options.sink);
}

static void publisher_run(void *argument)
{
    struct nats_publisher *publisher = argument;
    int wait_ms = CONNECT_WAIT_MS;
    uint64_t connects = 0;
    uint64_t reconnects = 0;
    while (!atomic_load(&publisher->stopping)) {
        bool is_new = publisher->connection == NULL;
        /* Entering the sandbox would interrupt poll(2), which the library does not repeat. */
        if (is_new && (sandbox_is_expected() || !connect_once(publisher))) {
            note_connection(publisher, false, connects);
            wakeup_wait(publisher->own, NO_HANDLE, false, wait_ms);
            wait_ms = wait_ms * 2 < CONNECT_WAIT_MOST_MS ? wait_ms * 2 : CONNECT_WAIT_MOST_MS;
            continue;
        }
        wait_ms = CONNECT_WAIT_MS;
        connects += is_new;
        natsConnStatus state = publisher->library->natsConnection_Status(publisher->connection);
        note_connection(publisher, state == NATS_CONN_STATUS_CONNECTED, connects);
        note_away(publisher, state == NATS_CONN_STATUS_CONNECTED
                                 ? ""
                                 : "the connection to the server is lost");
        uint64_t made = atomic_load(&publisher->reconnects);
        if (state != NATS_CONN_STATUS_CONNECTED || made != reconnects)
            lose_flights(publisher);
        reconnects = made;
        if (state == NATS_CONN_STATUS_CLOSED)
            disconnect(publisher);
        else if (state != NATS_CONN_STATUS_CONNECTED || !publish_next(publisher))
            wakeup_wait(publisher->own, NO_HANDLE, false, RECONNECT_POLL_MS);
    }
    disconnect(publisher);
}

/* --- the sink's thread ------------------------------------------------------------------------ */

bool nats_publisher_put(struct nats_publisher *publisher, struct delivery_block *block)
{
    mutex_lock(publisher->mutex);
    bool taken = nats_flights_put(&publisher->flights, block, clock_monotonic_ns());
    mutex_unlock(publisher->mutex);
    if (taken)
        wakeup_signal(publisher->own);
    return taken;
}

struct delivery_block *nats_publisher_take(struct nats_publisher *publisher, struct error *error)
{
    mutex_lock(publisher->mutex);
    struct delivery_block *block = nats_flights_take(&publisher->flights, error);
    if (block != NULL && publisher->flights.last_begun_ns != 0)
        histogram_note(&publisher->figures.request_time, histogram_times,
                       (uint64_t)(clock_monotonic_ns() - publisher->flights.last_begun_ns));
    mutex_unlock(publisher->mutex);
    return block;
}

bool nats_publisher_is_away(struct nats_publisher *publisher, struct error *error)
{
    mutex_lock(publisher->mutex);
    bool is_away = publisher->away.text[0] != '\0';
    if (is_away && error != NULL)
        *error = publisher->away;
    mutex_unlock(publisher->mutex);
    return is_away;
}

int64_t nats_publisher_due(struct nats_publisher *publisher)
{
    mutex_lock(publisher->mutex);
    int64_t due = nats_flights_due(&publisher->flights);
    mutex_unlock(publisher->mutex);
    return due;
}

void nats_publisher_expire(struct nats_publisher *publisher, bool all)
{
    mutex_lock(publisher->mutex);
    nats_flights_expire(&publisher->flights, all ? INT64_MAX : clock_monotonic_ns());
    note_unanswered(publisher);
    mutex_unlock(publisher->mutex);
}

const struct delivery_figures *nats_publisher_figures(const struct nats_publisher *publisher)
{
    return &publisher->figures;
}

size_t nats_publisher_memory(void)
{
    return sizeof(struct nats_publisher);
}

/* --- making a publisher ----------------------------------------------------------------------- */

static int set_callbacks(struct nats_publisher *publisher, struct error *error)
{
    const struct nats_library *library = publisher->library;
    if (library->natsOptions_SetClosedCB(publisher->settings, on_closed, publisher) == NATS_OK &&
        library->natsOptions_SetReconnectedCB(publisher->settings, on_reconnected, publisher) ==
            NATS_OK &&
        library->natsOptions_SetErrorHandler(publisher->settings, publisher_on_error, publisher) ==
            NATS_OK)
        return 0;
    return error_no_memory(error);
}

static int publisher_begin(struct nats_publisher *publisher, struct error *error)
{
    const struct nats_publisher_options *options = &publisher->options;
    if (publisher->name == NULL)
        return error_no_memory(error);
    publisher->settings =
        nats_settings_make(options->library, options->place, options->broker, options->tls, error);
    if (publisher->settings == NULL || set_callbacks(publisher, error) != 0)
        return -1;
    publisher->mutex = mutex_create();
    if (publisher->mutex == NULL)
        return error_no_memory(error);
    if (wakeup_create(&publisher->own, error) != 0)
        return -1;
    return thread_start(&publisher->thread, "nats", publisher_run, publisher, error);
}

int nats_publisher_create(const struct nats_publisher_options *options, struct nats_publisher **out,
                          struct error *error)
{
    struct nats_publisher *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->options = *options;
    made->library = options->library;
    made->place = *options->place;
    made->name = text_copy_all(options->name);
    made->flights.per_block = options->per_block;
    made->flights.unsent_ns = (int64_t)options->timeout_ns;
    made->flights.unanswered_ns = (int64_t)options->timeout_ns / TRIES;
    if ((options->headers & HEADER_COLLECTOR) != 0)
        host_name(made->collector);
    if (publisher_begin(made, error) != 0) {
        nats_publisher_destroy(made);
        return -1;
    }
    *out = made;
    return 0;
}

/*
 * Joins the thread, which a name lookup or a slow server may delay for seconds, and frees the
 * publisher.
 */
static void free_publisher(void *argument)
{
    struct nats_publisher *publisher = argument;
    thread_join(publisher->thread);
    RULE(publisher->connection == NULL, "the thread closes its connection before it ends");
    if (may_be_called(publisher))
        return;
    if (publisher->own != NULL)
        wakeup_destroy(publisher->own);
    mutex_destroy(publisher->mutex);
    if (publisher->settings != NULL)
        publisher->library->natsOptions_Destroy(publisher->settings);
    free(publisher->name);
    free(publisher);
}

void nats_publisher_destroy(struct nats_publisher *publisher)
{
    if (publisher == NULL)
        return;
    atomic_store(&publisher->stopping, true);
    if (publisher->thread == NULL) {
        free_publisher(publisher);
        return;
    }
    mutex_lock(publisher->mutex);
    publisher->options.sink = NULL;
    mutex_unlock(publisher->mutex);
    wakeup_signal(publisher->own);
    end_within(free_publisher, publisher, END_MS);
}
