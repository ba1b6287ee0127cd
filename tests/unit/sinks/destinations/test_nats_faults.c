/*
 * Tests the publisher of a nats: sink with a library that connects slowly, and whose answers come
 * late, out of order, twice or never. The library is a table of functions that keeps the messages.
 * The test makes it answer them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/nats_publisher.h"
#include "tests/support/sinks/delivery_lines.h"
#include "tests/support/test.h"

#define MESSAGES_MOST 64

struct __natsMsg {
    char reply[200];
    const char *answer; /* the answer in a message to the subscriber */
};

/* --- the library ------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char replies[MESSAGES_MOST][200]; /* reply subjects of the published messages */
    size_t published;
    bool looks_up; /* a connection waits for the lookup of a name */
    bool is_waiting;
    bool has_ended;
    natsMsgHandler handler;
    void *handler_context;
    natsConnectionHandler closed;
    void *closed_context;
    natsOnCompleteCB complete;
    void *complete_context;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *const any = &fake;

static natsStatus options_create(natsOptions **options)
{
    *options = any;
    return NATS_OK;
}

static void options_destroy(natsOptions *options)
{
    (void)options;
    pthread_mutex_lock(&fake.lock);
    fake.has_ended = true;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static natsStatus set_servers(natsOptions *options, const char **servers, int count)
{
    (void)options, (void)servers, (void)count;
    return NATS_OK;
}

static natsStatus set_text(natsOptions *options, const char *text)
{
    (void)options, (void)text;
    return NATS_OK;
}

static natsStatus set_time(natsOptions *options, int64_t ms)
{
    (void)options, (void)ms;
    return NATS_OK;
}

static natsStatus set_count(natsOptions *options, int count)
{
    (void)options, (void)count;
    return NATS_OK;
}

static natsStatus set_closed(natsOptions *options, natsConnectionHandler closed, void *context)
{
    (void)options;
    fake.closed = closed;
    fake.closed_context = context;
    return NATS_OK;
}

static natsStatus set_reconnected(natsOptions *options, natsConnectionHandler handler,
                                  void *context)
{
    (void)options, (void)handler, (void)context;
    return NATS_OK;
}

static natsStatus set_error_handler(natsOptions *options, natsErrHandler handler, void *context)
{
    (void)options, (void)handler, (void)context;
    return NATS_OK;
}

static const char *get_text(natsStatus status)
{
    (void)status;
    return "an error of the test";
}

static const char *get_last_error(natsStatus *status)
{
    (void)status;
    return NULL;
}

static natsStatus connect_to(natsConnection **connection, natsOptions *options)
{
    (void)options;
    pthread_mutex_lock(&fake.lock);
    bool looked_up = fake.looks_up;
    fake.is_waiting = looked_up;
    pthread_cond_broadcast(&fake.changed);
    while (fake.looks_up)
        pthread_cond_wait(&fake.changed, &fake.lock);
    fake.is_waiting = false;
    pthread_mutex_unlock(&fake.lock);
    *connection = any;
    return looked_up ? NATS_TIMEOUT : NATS_OK;
}

static natsConnStatus status_of(natsConnection *connection)
{
    (void)connection;
    return NATS_CONN_STATUS_CONNECTED;
}

static natsStatus has_headers(natsConnection *connection)
{
    (void)connection;
    return NATS_OK;
}

static int64_t most_payload(natsConnection *connection)
{
    (void)connection;
    return 1000000;
}

static natsStatus subscribe(natsSubscription **subscription, natsConnection *connection,
                            const char *subject, natsMsgHandler handler, void *context)
{
    (void)connection, (void)subject;
    *subscription = any;
    fake.handler = handler;
    fake.handler_context = context;
    return NATS_OK;
}

static natsStatus publish(natsConnection *connection, natsMsg *message)
{
    (void)connection;
    pthread_mutex_lock(&fake.lock);
    assert_true(fake.published < MESSAGES_MOST);
    memcpy(fake.replies[fake.published++], message->reply, sizeof message->reply);
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    return NATS_OK;
}

static void close_connection(natsConnection *connection)
{
    fake.complete(fake.complete_context);
    fake.closed(connection, fake.closed_context);
}

static void destroy_connection(natsConnection *connection)
{
    (void)connection;
}

static natsStatus set_complete(natsSubscription *subscription, natsOnCompleteCB complete,
                               void *context)
{
    (void)subscription;
    fake.complete = complete;
    fake.complete_context = context;
    return NATS_OK;
}

static natsStatus set_limits(natsSubscription *subscription, int messages, int bytes)
{
    (void)subscription, (void)messages, (void)bytes;
    return NATS_OK;
}

static void destroy_subscription(natsSubscription *subscription)
{
    (void)subscription;
}

static natsStatus inbox_create(natsInbox **inbox)
{
    static char name[] = "_INBOX.test";
    *inbox = (natsInbox *)name;
    return NATS_OK;
}

static void inbox_destroy(natsInbox *inbox)
{
    (void)inbox;
}

static natsStatus message_create(natsMsg **out, const char *subject, const char *reply,
                                 const char *data, int size)
{
    (void)subject, (void)data, (void)size;
    natsMsg *message = calloc(1, sizeof *message);
    assert_non_null(message);
    snprintf(message->reply, sizeof message->reply, "%s", reply);
    *out = message;
    return NATS_OK;
}

static void message_destroy(natsMsg *message)
{
    free(message);
}

static const char *message_subject(const natsMsg *message)
{
    return message->reply;
}

static const char *message_data(const natsMsg *message)
{
    return message->answer;
}

static int message_size(const natsMsg *message)
{
    return (int)strlen(message->answer);
}

static bool no_responders(natsMsg *message)
{
    return message->answer == NULL;
}

static natsStatus set_header(natsMsg *message, const char *name, const char *value)
{
    (void)message, (void)name, (void)value;
    return NATS_OK;
}

static const struct nats_library library = {
    .natsOptions_Create = options_create,
    .natsOptions_Destroy = options_destroy,
    .natsOptions_SetServers = set_servers,
    .natsOptions_SetName = set_text,
    .natsOptions_SetTimeout = set_time,
    .natsOptions_SetWriteDeadline = set_time,
    .natsOptions_SetMaxReconnect = set_count,
    .natsOptions_SetReconnectWait = set_time,
    .natsOptions_SetPingInterval = set_time,
    .natsOptions_SetMaxPingsOut = set_count,
    .natsOptions_SetClosedCB = set_closed,
    .natsOptions_SetReconnectedCB = set_reconnected,
    .natsOptions_SetErrorHandler = set_error_handler,
    .natsStatus_GetText = get_text,
    .nats_GetLastError = get_last_error,
    .natsConnection_Connect = connect_to,
    .natsConnection_Status = status_of,
    .natsConnection_HasHeaderSupport = has_headers,
    .natsConnection_GetMaxPayload = most_payload,
    .natsConnection_Subscribe = subscribe,
    .natsConnection_PublishMsg = publish,
    .natsConnection_Close = close_connection,
    .natsConnection_Destroy = destroy_connection,
    .natsSubscription_SetOnCompleteCB = set_complete,
    .natsSubscription_SetPendingLimits = set_limits,
    .natsSubscription_Destroy = destroy_subscription,
    .natsInbox_Create = inbox_create,
    .natsInbox_Destroy = inbox_destroy,
    .natsMsg_Create = message_create,
    .natsMsg_Destroy = message_destroy,
    .natsMsg_GetSubject = message_subject,
    .natsMsg_GetData = message_data,
    .natsMsg_GetDataLength = message_size,
    .natsMsg_IsNoResponders = no_responders,
    .natsMsgHeader_Set = set_header,
};

static const char taken[] = "{\"stream\":\"S\",\"seq\":1}";

/*
 * Answers the published message number `message`, from 0, with `text`, as the library does. If
 * `text` is NULL, the answer is that there are no responders.
 */
static void answer(size_t message, const char *text)
{
    natsMsg *made;
    message_create(&made, NULL, fake.replies[message], NULL, 0);
    made->answer = text;
    fake.handler(any, any, made, fake.handler_context);
}

static void wait_for_published(size_t count)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.published < count)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

/* --- the publisher ---------------------------------------------------------------------------- */

static struct nats_publisher *publisher;
static struct error error;

static void begin(void)
{
    static const struct broker_kind kind = {"nats", "subject", "SUBJECT", 4222};
    static struct broker_place place;
    static const struct broker_options broker = {0};
    static const struct client_tls tls = {0};
    fake.published = 0;
    assert_int_equal(broker_place_read("//broker:4222/t", &kind, &place, &error), 0);
    const struct nats_publisher_options options = {.library = &library,
                                                   .name = "nats:test",
                                                   .place = &place,
                                                   .broker = &broker,
                                                   .tls = &tls,
                                                   .timeout_ns = UINT64_C(60000000000)};
    assert_int_equal(nats_publisher_create(&options, &publisher, &error), 0);
}

static void put(struct delivery_lines *lines, size_t count)
{
    delivery_lines_fill(lines, "t", count);
    assert_true(nats_publisher_put(publisher, &lines->block));
}

static void take(const struct delivery_lines *lines)
{
    assert_ptr_equal(nats_publisher_take(publisher, &error), &lines->block);
}

TEST(answers_in_any_order_are_each_for_their_record)
{
    struct delivery_lines lines;
    begin();
    put(&lines, 3);
    wait_for_published(3);
    answer(2, taken);
    answer(0, NULL);
    assert_null(nats_publisher_take(publisher, &error));
    answer(1, taken);
    take(&lines);
    assert_int_equal(lines.records[0].outcome, DELIVERY_NOT_SENT);
    assert_int_equal(lines.records[1].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(lines.records[2].outcome, DELIVERY_ACKNOWLEDGED);
    nats_publisher_destroy(publisher);
}

TEST(an_answer_that_comes_twice_counts_once)
{
    struct delivery_lines lines;
    begin();
    put(&lines, 2);
    wait_for_published(2);
    answer(0, taken);
    answer(0, taken);
    answer(0, NULL);
    assert_null(nats_publisher_take(publisher, &error));
    answer(1, taken);
    take(&lines);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    nats_publisher_destroy(publisher);
}

TEST(an_answer_after_the_stop_is_not_of_the_next_block)
{
    struct delivery_lines lines, next;
    begin();
    put(&lines, 1);
    wait_for_published(1);
    nats_publisher_expire(publisher, true);
    take(&lines);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    put(&next, 1);
    wait_for_published(2);
    answer(0, taken);
    assert_null(nats_publisher_take(publisher, &error));
    nats_publisher_expire(publisher, true);
    take(&next);
    delivery_lines_assert(&next, DELIVERY_UNKNOWN);
    nats_publisher_destroy(publisher);
}

/* The publisher's thread stays in the lookup, and ends by itself later. */
TEST(a_stop_does_not_wait_for_a_lookup)
{
    struct delivery_lines lines;
    fake.looks_up = true;
    begin();
    put(&lines, 2);
    pthread_mutex_lock(&fake.lock);
    while (!fake.is_waiting)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
    nats_publisher_expire(publisher, true);
    take(&lines);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    nats_publisher_destroy(publisher);
    pthread_mutex_lock(&fake.lock);
    assert_true(fake.is_waiting);
    fake.looks_up = fake.has_ended = false;
    pthread_cond_broadcast(&fake.changed);
    while (!fake.has_ended)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}
