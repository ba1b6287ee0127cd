#include "tests/support/sinks/kafka_double.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct rd_kafka_conf_s {
    void *opaque;
    void (*report)(rd_kafka_t *, const rd_kafka_message_t *, void *);
    void (*error)(rd_kafka_t *, int, const char *, void *);
};

struct rd_kafka_topic_s {
    rd_kafka_t *producer;
    char name[256];
};

struct rd_kafka_queue_s {
    void (*notify)(rd_kafka_t *, void *);
    void *context;
};

struct rd_kafka_headers_s {
    size_t count;
};

struct rd_kafka_error_s {
    rd_kafka_resp_err_t code;
};

/* A message that the program has handed over. */
struct held {
    rd_kafka_message_t message; /* first: what a report points to */
    struct held *next;
    char topic[256];
    int64_t due_ns;
    rd_kafka_msg_status_t status;
    unsigned repeats;
    int64_t repeat_after_ns;
    bool frees;    /* the library must free the payload */
    bool reported; /* only repeated reports follow */
    bool sent;     /* a broker may have the message */
    uint64_t sum;  /* of the bytes */
};

struct rd_kafka_s {
    struct rd_kafka_conf_s conf;
    struct rd_kafka_queue_s queue;
    struct rd_kafka_s *next;
    struct held *first, **last;
    _Atomic int64_t lookup_until_ns;
    bool fatal, fatal_is_new;
    bool told;    /* the program was told that reports are due */
    bool telling; /* the program is being told so; its queue must not change */
};

static const struct kafka_double_world *world;
static rd_kafka_t *producers;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static rd_kafka_resp_err_t latest;

/*
 * Locks the lists of producers and messages. The lock is never held while a function of the test is
 * called.
 */
static void double_lock(void)
{
    while (atomic_flag_test_and_set(&lock))
        continue;
}

static void double_unlock(void)
{
    atomic_flag_clear(&lock);
}

static int64_t now_ns(void)
{
    return world->now_ns();
}

/* --- messages --------------------------------------------------------------------------------- */

static uint64_t sum_of(const void *bytes, size_t size)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return sum;
}

static struct kafka_double_message message_of(const struct held *held)
{
    return (struct kafka_double_message){held->topic, held->message.payload, held->message.len};
}

static void check_bytes(const struct held *held)
{
    const struct kafka_double_message message = message_of(held);
    if (sum_of(message.bytes, message.size) != held->sum && world->changed != NULL)
        world->changed(&message);
}

static void free_held(struct held *held)
{
    if (held->frees)
        free(held->message.payload);
    free(held);
}

static void add(rd_kafka_t *producer, struct held *held)
{
    double_lock();
    held->next = NULL;
    *producer->last = held;
    producer->last = &held->next;
    double_unlock();
}

static rd_kafka_resp_err_t hand_over(rd_kafka_t *producer, const rd_kafka_topic_t *topic, int flags,
                                     const rd_kafka_message_t *given)
{
    if (producer->fatal)
        return RD_KAFKA_RESP_ERR__FATAL;
    struct held *held = malloc(sizeof *held);
    *held = (struct held){.message = *given,
                          .frees = (flags & RD_KAFKA_MSG_F_FREE) != 0,
                          .sum = sum_of(given->payload, given->len)};
    snprintf(held->topic, sizeof held->topic, "%s", topic->name);
    const struct kafka_double_message message = message_of(held);
    struct kafka_report report = {0};
    rd_kafka_resp_err_t refused = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (world->decide != NULL)
        refused = world->decide(&message, &report);
    if (refused != RD_KAFKA_RESP_ERR_NO_ERROR) {
        free(held);
        return refused;
    }
    held->message.err = report.error;
    held->status =
        report.error == RD_KAFKA_RESP_ERR_NO_ERROR ? RD_KAFKA_MSG_STATUS_PERSISTED : report.status;
    held->sent = held->status != RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
    held->repeats = report.repeats;
    held->repeat_after_ns = report.repeat_after_ns;
    held->due_ns =
        report.after_ns == KAFKA_DOUBLE_NEVER ? KAFKA_DOUBLE_NEVER : now_ns() + report.after_ns;
    add(producer, held);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* Returns when the message's report is due, which is not before the end of a name lookup. */
static int64_t due_of(const rd_kafka_t *producer, const struct held *held)
{
    if (held->due_ns == KAFKA_DOUBLE_NEVER || held->due_ns > producer->lookup_until_ns)
        return held->due_ns;
    return producer->lookup_until_ns;
}

/* Takes the message whose report is due first. Returns NULL if no report is due. */
static struct held *take_due(rd_kafka_t *producer, int64_t now)
{
    struct held **first = NULL;
    double_lock();
    for (struct held **link = &producer->first; *link != NULL; link = &(*link)->next)
        if (due_of(producer, *link) <= now && (first == NULL || (*link)->due_ns < (*first)->due_ns))
            first = link;
    struct held *held = first == NULL ? NULL : *first;
    if (held != NULL) {
        *first = held->next;
        if (held->next == NULL)
            producer->last = first;
    }
    double_unlock();
    return held;
}

/*
 * Reports a message. After the first report the program owns the bytes again, so later reports do
 * not check them.
 */
static void report_one(rd_kafka_t *producer, struct held *held)
{
    const struct kafka_double_message message = message_of(held);
    if (!held->reported) {
        check_bytes(held);
        if (world->reported != NULL)
            world->reported(&message, held->message.err, held->status);
    }
    held->reported = true;
    producer->conf.report(producer, &held->message, producer->conf.opaque);
    if (held->repeats == 0) {
        free_held(held);
        return;
    }
    held->repeats--;
    held->due_ns = now_ns() + held->repeat_after_ns;
    add(producer, held);
}

static size_t report_due(rd_kafka_t *producer)
{
    size_t count = 0;
    struct held *held;
    int64_t now = now_ns();
    while ((held = take_due(producer, now)) != NULL) {
        report_one(producer, held);
        count++;
    }
    return count;
}

static int64_t next_due(const rd_kafka_t *producer)
{
    int64_t next = producer->fatal_is_new ? 0 : INT64_MAX;
    for (const struct held *held = producer->first; held != NULL; held = held->next)
        if (due_of(producer, held) < next)
            next = due_of(producer, held);
    return next;
}

/* --- functions for the test ------------------------------------------------------------------- */

void kafka_double_begin(const struct kafka_double_world *given)
{
    world = given;
}

void kafka_double_look_up(int64_t until_ns)
{
    double_lock();
    for (rd_kafka_t *producer = producers; producer != NULL; producer = producer->next)
        producer->lookup_until_ns = until_ns;
    double_unlock();
}

void kafka_double_fail_fatally(void)
{
    double_lock();
    for (rd_kafka_t *producer = producers; producer != NULL; producer = producer->next)
        producer->fatal = producer->fatal_is_new = true;
    double_unlock();
}

/*
 * Returns a producer whose program must be notified that reports are due, or NULL. *next_ns becomes
 * the earliest time of another report.
 */
static rd_kafka_t *take_untold(int64_t now, int64_t *next_ns)
{
    rd_kafka_t *found = NULL;
    *next_ns = INT64_MAX;
    double_lock();
    for (rd_kafka_t *producer = producers; producer != NULL; producer = producer->next) {
        int64_t due_ns = next_due(producer);
        if (due_ns <= now && !producer->told && producer->queue.notify != NULL)
            found = producer;
        else if (due_ns > now && due_ns < *next_ns)
            *next_ns = due_ns;
    }
    if (found != NULL)
        found->told = found->telling = true;
    double_unlock();
    return found;
}

int64_t kafka_double_tick(void)
{
    int64_t next_ns;
    rd_kafka_t *producer;
    while ((producer = take_untold(now_ns(), &next_ns)) != NULL) {
        producer->queue.notify(producer, producer->queue.context);
        double_lock();
        producer->telling = false;
        double_unlock();
    }
    return next_ns;
}

size_t kafka_double_producers(void)
{
    size_t count = 0;
    double_lock();
    for (const rd_kafka_t *producer = producers; producer != NULL; producer = producer->next)
        count++;
    double_unlock();
    return count;
}

/* --- configuration ---------------------------------------------------------------------------- */

const char *rd_kafka_version_str(void)
{
    return "of a test";
}

rd_kafka_conf_t *rd_kafka_conf_new(void)
{
    return calloc(1, sizeof(struct rd_kafka_conf_s));
}

void rd_kafka_conf_destroy(rd_kafka_conf_t *conf)
{
    free(conf);
}

rd_kafka_conf_res_t rd_kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value,
                                      char *why, size_t size)
{
    (void)conf, (void)name, (void)value, (void)why, (void)size;
    return RD_KAFKA_CONF_OK;
}

rd_kafka_conf_res_t rd_kafka_conf_get(const rd_kafka_conf_t *conf, const char *name, char *value,
                                      size_t *size)
{
    (void)conf, (void)name;
    snprintf(value, *size, "1000000");
    return RD_KAFKA_CONF_OK;
}

void rd_kafka_conf_set_opaque(rd_kafka_conf_t *conf, void *opaque)
{
    conf->opaque = opaque;
}

void rd_kafka_conf_set_dr_msg_cb(rd_kafka_conf_t *conf,
                                 void (*report)(rd_kafka_t *, const rd_kafka_message_t *, void *))
{
    conf->report = report;
}

void rd_kafka_conf_set_error_cb(rd_kafka_conf_t *conf,
                                void (*error)(rd_kafka_t *, int, const char *, void *))
{
    conf->error = error;
}

void rd_kafka_conf_set_log_cb(rd_kafka_conf_t *conf,
                              void (*log)(const rd_kafka_t *, int, const char *, const char *))
{
    (void)conf, (void)log;
}

rd_kafka_conf_res_t
rd_kafka_conf_set_ssl_cert_verify_cb(rd_kafka_conf_t *conf,
                                     int (*verify)(rd_kafka_t *, const char *, int32_t, int *, int,
                                                   const char *, size_t, char *, size_t, void *))
{
    (void)conf, (void)verify;
    return RD_KAFKA_CONF_OK;
}

rd_kafka_resp_err_t rd_kafka_set_log_queue(rd_kafka_t *producer, rd_kafka_queue_t *queue)
{
    (void)producer, (void)queue;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void rd_kafka_set_log_level(rd_kafka_t *producer, int level)
{
    (void)producer, (void)level;
}

void *rd_kafka_opaque(const rd_kafka_t *producer)
{
    return producer->conf.opaque;
}

void rd_kafka_conf_set_stats_cb(rd_kafka_conf_t *conf,
                                int (*statistics)(rd_kafka_t *, char *, size_t, void *))
{
    (void)conf, (void)statistics;
}

/* --- a producer ------------------------------------------------------------------------------- */

rd_kafka_t *rd_kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, char *why, size_t size)
{
    (void)type;
    if (world->refuses != NULL && world->refuses()) {
        snprintf(why, size, "the test refuses it");
        return NULL;
    }
    rd_kafka_t *producer = calloc(1, sizeof *producer);
    producer->conf = *conf;
    producer->last = &producer->first;
    free(conf);
    double_lock();
    producer->next = producers;
    producers = producer;
    double_unlock();
    return producer;
}

static void wait_for_lookup(const rd_kafka_t *producer)
{
    while (now_ns() < producer->lookup_until_ns)
        world->wait(producer->lookup_until_ns, true);
}

static void forget(struct held *held)
{
    if (!held->reported)
        check_bytes(held);
    free_held(held);
}

void rd_kafka_destroy(rd_kafka_t *producer)
{
    wait_for_lookup(producer);
    double_lock();
    struct held *held = producer->first;
    producer->first = NULL;
    double_unlock();
    while (held != NULL) {
        struct held *next = held->next;
        forget(held);
        held = next;
    }
    double_lock();
    rd_kafka_t **link = &producers;
    while (*link != producer)
        link = &(*link)->next;
    *link = producer->next;
    double_unlock();
    free(producer);
}

int rd_kafka_poll(rd_kafka_t *producer, int timeout_ms)
{
    (void)timeout_ms;
    producer->told = false;
    size_t count = report_due(producer);
    if (producer->fatal_is_new) {
        producer->fatal_is_new = false;
        producer->conf.error(producer, RD_KAFKA_RESP_ERR__FATAL, "fatal", producer->conf.opaque);
        count++;
    }
    return (int)count;
}

rd_kafka_resp_err_t rd_kafka_flush(rd_kafka_t *producer, int timeout_ms)
{
    int64_t until_ns = now_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        report_due(producer);
        if (producer->first == NULL)
            return RD_KAFKA_RESP_ERR_NO_ERROR;
        if (now_ns() >= until_ns)
            return RD_KAFKA_RESP_ERR__TIMED_OUT;
        int64_t due_ns = next_due(producer);
        world->wait(due_ns < until_ns ? due_ns : until_ns, false);
    }
}

/* Messages that no broker can have are reported as not sent, the others as possibly sent. */
rd_kafka_resp_err_t rd_kafka_purge(rd_kafka_t *producer, int flags)
{
    if ((flags & RD_KAFKA_PURGE_F_NON_BLOCKING) == 0)
        wait_for_lookup(producer);
    double_lock();
    int64_t now = now_ns();
    for (struct held *held = producer->first; held != NULL; held = held->next) {
        if (held->due_ns <= now)
            continue;
        held->message.err =
            held->sent ? RD_KAFKA_RESP_ERR__PURGE_INFLIGHT : RD_KAFKA_RESP_ERR__PURGE_QUEUE;
        held->status =
            held->sent ? RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED : RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
        held->due_ns = now;
    }
    double_unlock();
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t rd_kafka_fatal_error(rd_kafka_t *producer, char *text, size_t size)
{
    snprintf(text, size, "fatal");
    return producer->fatal ? RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER
                           : RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t rd_kafka_last_error(void)
{
    return latest;
}

const char *rd_kafka_err2str(rd_kafka_resp_err_t error)
{
    return error == RD_KAFKA_RESP_ERR_NO_ERROR ? "success" : "an error of the test";
}

rd_kafka_queue_t *rd_kafka_queue_get_main(rd_kafka_t *producer)
{
    return &producer->queue;
}

void rd_kafka_queue_destroy(rd_kafka_queue_t *queue)
{
    (void)queue;
}

void rd_kafka_queue_cb_event_enable(rd_kafka_queue_t *queue, void (*notify)(rd_kafka_t *, void *),
                                    void *context)
{
    rd_kafka_t *producer =
        (rd_kafka_t *)(void *)((char *)queue - offsetof(struct rd_kafka_s, queue));
    double_lock();
    while (producer->telling) {
        double_unlock();
        world->wait(now_ns() + 1000000, false);
        double_lock();
    }
    *queue = (struct rd_kafka_queue_s){notify, context};
    double_unlock();
}

/* --- messages that come ----------------------------------------------------------------------- */

rd_kafka_topic_t *rd_kafka_topic_new(rd_kafka_t *producer, const char *name,
                                     rd_kafka_topic_conf_t *conf)
{
    (void)conf;
    rd_kafka_topic_t *topic = calloc(1, sizeof *topic);
    topic->producer = producer;
    snprintf(topic->name, sizeof topic->name, "%s", name);
    return topic;
}

void rd_kafka_topic_destroy(rd_kafka_topic_t *topic)
{
    free(topic);
}

int rd_kafka_produce_batch(rd_kafka_topic_t *topic, int32_t partition, int flags,
                           rd_kafka_message_t *messages, int count)
{
    (void)partition;
    int taken = 0;
    for (int i = 0; i < count; i++) {
        messages[i].err = hand_over(topic->producer, topic, flags, &messages[i]);
        taken += messages[i].err == RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    return taken;
}

rd_kafka_error_t *rd_kafka_produceva(rd_kafka_t *producer, const rd_kafka_vu_t *given, size_t count)
{
    rd_kafka_message_t message = {0};
    const rd_kafka_topic_t *topic = NULL;
    rd_kafka_headers_t *headers = NULL;
    int flags = 0;
    for (size_t i = 0; i < count; i++)
        switch (given[i].vtype) {
        case RD_KAFKA_VTYPE_RKT:
            topic = given[i].u.rkt;
            break;
        case RD_KAFKA_VTYPE_VALUE:
            message.payload = given[i].u.mem.ptr;
            message.len = given[i].u.mem.size;
            break;
        case RD_KAFKA_VTYPE_OPAQUE:
            message._private = given[i].u.ptr;
            break;
        case RD_KAFKA_VTYPE_MSGFLAGS:
            flags = given[i].u.i;
            break;
        case RD_KAFKA_VTYPE_HEADERS:
            headers = given[i].u.headers;
            break;
        default:
            break;
        }
    rd_kafka_resp_err_t refused = hand_over(producer, topic, flags, &message);
    if (refused == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_headers_destroy(headers);
        return NULL;
    }
    rd_kafka_error_t *error = calloc(1, sizeof *error);
    error->code = refused;
    return error;
}

rd_kafka_headers_t *rd_kafka_headers_new(size_t count)
{
    (void)count;
    return calloc(1, sizeof(struct rd_kafka_headers_s));
}

rd_kafka_resp_err_t rd_kafka_header_add(rd_kafka_headers_t *headers, const char *name, ssize_t size,
                                        const void *value, ssize_t value_size)
{
    (void)name, (void)size, (void)value, (void)value_size;
    headers->count++;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void rd_kafka_headers_destroy(rd_kafka_headers_t *headers)
{
    free(headers);
}

rd_kafka_resp_err_t rd_kafka_error_code(const rd_kafka_error_t *error)
{
    return error->code;
}

void rd_kafka_error_destroy(rd_kafka_error_t *error)
{
    free(error);
}

rd_kafka_msg_status_t rd_kafka_message_status(const rd_kafka_message_t *message)
{
    return ((const struct held *)message)->status;
}

rd_kafka_resp_err_t rd_kafka_metadata(rd_kafka_t *producer, int all, rd_kafka_topic_t *topic,
                                      const struct rd_kafka_metadata **metadata, int timeout_ms)
{
    (void)producer, (void)all, (void)topic, (void)timeout_ms;
    *metadata = NULL;
    latest = RD_KAFKA_RESP_ERR__TIMED_OUT;
    return latest;
}

void rd_kafka_metadata_destroy(const struct rd_kafka_metadata *metadata)
{
    (void)metadata;
}
