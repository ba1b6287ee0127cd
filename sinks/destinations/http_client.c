#include "sinks/destinations/http_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "sinks/destinations/http_shapes.h"
#include "sinks/destinations/otlp_answer.h"

/* The longest wait of the thread, in milliseconds. Work wakes it earlier. */
#define LOOK_MS 1000

/* The thread's pause after a call of libcurl failed. */
#define FAILED_PAUSE_NS INT64_C(20000000)

enum slot_state {
    SLOT_EMPTY,
    SLOT_GIVEN, /* the sink's thread has handed over the block */
    SLOT_SENT,  /* the client's thread has begun to send the block */
    SLOT_ENDED, /* the block is answered; the sink's thread has not fetched it */
};

struct slot {
    enum slot_state state; /* protected by `lock` */
    uint64_t order;        /* blocks are begun and answered in this order */
    size_t shape;          /* shape of the current request (http_shapes.h) */
    bool again;            /* the same records must be sent again, in the first shape */
    bool repeats;          /* the current request has records that were in an earlier request */
    struct http_headers *headers; /* headers of the current request; NULL if there is none */
    struct http_exchange exchange;
    struct http_request request;
    struct http_body body;
    struct http_result result;
};

struct http_client {
    struct http_client_options options;
    bool otlp; /* the format is OTLP, whose answers may have a number of rejected data points */
    CURLM *multi;
    /*
     * The next four members are for the client's thread. Only lessons.any is also read by the
     * sink's thread.
     */
    struct http_headers *headers;
    struct http_shapes shapes;
    struct http_lessons lessons;
    struct http_goaways goaways;
    struct delivery_figures figures; /* written by the client's thread */
    uint64_t requests;               /* number of requests in flight */
    struct thread *thread;
    struct mutex *lock;
    struct pause *pause;
    struct wakeup *abandoned; /* signalled when http_client_abandon can return */
    uint64_t next_order;      /* used only by the sink's thread */

    /* The next three members are protected by `lock`. */
    bool stops, abandons;
    struct http_headers *next_headers; /* NULL: no change */

    size_t count;
    struct slot slots[];
};

size_t http_client_memory(size_t in_flight)
{
    return sizeof(struct http_client) + in_flight * sizeof(struct slot);
}

/* --- the thread that drives libcurl ----------------------------------------------------------- */

/*
 * Changes the state of the oldest slot in state `from` to `to`. Returns the slot, or NULL if there
 * is none.
 */
static struct slot *move_one(struct http_client *client, enum slot_state from, enum slot_state to)
{
    struct slot *first = NULL;
    mutex_lock(client->lock);
    for (size_t i = 0; i < client->count; i++) {
        struct slot *slot = &client->slots[i];
        if (slot->state == from && (first == NULL || slot->order < first->order))
            first = slot;
    }
    if (first != NULL)
        first->state = to;
    mutex_unlock(client->lock);
    return first;
}

static void set_ended(struct http_client *client, struct slot *slot)
{
    http_exchange_end(&slot->exchange);
    slot->result.block = slot->exchange.block;
    slot->result.error = slot->exchange.error;
    slot->result.retry_after_ns = slot->exchange.retry_after_ns;
    mutex_lock(client->lock);
    RULE(slot->state == SLOT_SENT || slot->state == SLOT_GIVEN, "each block is answered once");
    RULE(slot->headers == NULL, "a block is answered when its last request has ended");
    slot->state = SLOT_ENDED;
    mutex_unlock(client->lock);
    wakeup_signal(client->options.wakeup);
}

/*
 * Applies the headers of http_client_set_headers to all later requests. The last request with the
 * old headers frees them.
 */
static void change_headers(struct http_client *client)
{
    mutex_lock(client->lock);
    struct http_headers *next = client->next_headers;
    client->next_headers = NULL;
    mutex_unlock(client->lock);
    if (next == NULL)
        return;
    if (client->headers->users == 0)
        http_headers_free(client->headers);
    client->headers = next;
}

static void release_headers(struct http_client *client, struct slot *slot)
{
    struct http_headers *headers = slot->headers;
    RULE(headers != NULL && headers->users != 0, "headers are released once by each request");
    slot->headers = NULL;
    if (--headers->users == 0 && headers != client->headers)
        http_headers_free(headers);
}

static void note_requests(struct http_client *client, uint64_t under_way)
{
    client->requests = under_way;
    delivery_figure_set(&client->figures, FIGURE_REQUESTS_IN_FLIGHT, under_way);
}

static void note_begin(struct http_client *client, bool repeats)
{
    delivery_figure_add(&client->figures, FIGURE_REQUESTS, 1);
    delivery_figure_add(&client->figures, FIGURE_REQUEST_RETRIES, repeats);
    note_requests(client, client->requests + 1);
}

static void client_note_end(struct http_client *client, const struct http_reply *reply)
{
    struct delivery_figures *figures = &client->figures;
    RULE(client->requests != 0, "each request that ends was begun");
    note_requests(client, client->requests - 1);
    delivery_figure_add(figures, FIGURE_CONNECTS, reply->connects);
    if (reply->status < 200 || reply->status > 599) {
        delivery_figure_add(figures, FIGURE_REQUEST_ERRORS, 1);
        return;
    }
    counter_add(&figures->answers[reply->status / 100 - 2 + ANSWER_2XX], 1);
    histogram_note(&figures->request_time, histogram_times, (uint64_t)reply->took_ns);
}

static bool begin_request(struct http_client *client, struct slot *slot)
{
    const struct http_client_options *options = &client->options;
    struct http_exchange *exchange = &slot->exchange;
    RULE(slot->state == SLOT_SENT && slot->headers == NULL, "a slot has one request at a time");
    slot->shape = http_shapes_next(&client->shapes);
    switch (http_body_make(options->maker, &slot->body, exchange->block, &exchange->range,
                           slot->shape)) {
    case HTTP_BODY_FOREIGN:
        http_exchange_reject(exchange, DELIVERY_REJECTED, "the records have another format");
        return false;
    case HTTP_BODY_TOO_LARGE:
        http_exchange_reject(exchange, DELIVERY_TOO_LARGE,
                             "the records are too long to be compressed");
        return false;
    case HTTP_BODY_MADE:
        break;
    }
    const char *url = http_urls_find(options->urls, exchange->block->route);
    if (http_request_begin(&slot->request, url, client->headers->lists[slot->shape], &slot->body) &&
        options->library->multi_add_handle(client->multi, slot->request.easy) == CURLM_OK) {
        slot->headers = client->headers;
        slot->headers->users++;
        note_begin(client, slot->repeats || exchange->block->again);
        return true;
    }
    http_exchange_cancel(exchange, "the request could not be started");
    return false;
}

/* Begins the next request of the slot's block. If there is none, the block is answered. */
static void client_continue(struct http_client *client, struct slot *slot)
{
    while (slot->again || http_exchange_next(&slot->exchange)) {
        slot->repeats = slot->again;
        slot->again = false;
        if (begin_request(client, slot))
            return;
        http_shapes_answer(&client->shapes, slot->shape, 0, false);
    }
    set_ended(client, slot);
}

static void begin_requests(struct http_client *client)
{
    struct slot *slot;
    while ((slot = move_one(client, SLOT_GIVEN, SLOT_SENT)) != NULL) {
        http_exchange_know(&slot->exchange, &client->lessons, client->options.repeats);
        client_continue(client, slot);
    }
}

/*
 * Returns an upper bound of the number of data points in the request. OTLP records that are passed
 * through do not have that number, but each data point takes at least two bytes.
 */
static uint64_t most_points(const struct http_exchange *exchange)
{
    const struct delivery_record *records = exchange->block->records + exchange->range.first;
    uint64_t points = 0;
    for (size_t i = 0; i < exchange->range.count; i++)
        if (records[i].group == records[0].group)
            points += records[i].samples != 0 ? records[i].samples : records[i].size / 2;
    return points;
}

/* Reads how many data points an OTLP receiver has rejected of a request that it accepted. */
static void client_read_answer(struct slot *slot)
{
    struct http_result *result = &slot->result;
    struct otlp_answer answer;
    struct text body;
    if (!http_request_answer(&slot->request, &body) ||
        !otlp_answer_read((const uint8_t *)body.data, body.size, &answer))
        return;
    uint64_t most = most_points(&slot->exchange);
    result->points_rejected += answer.rejected < most ? answer.rejected : most;
    if (answer.message.size != 0)
        copy_printable(result->warning, sizeof result->warning, answer.message.data,
                       answer.message.size);
}

static void end_request(struct http_client *client, struct slot *slot, struct http_reply *reply)
{
    client->options.library->multi_remove_handle(client->multi, slot->request.easy);
    release_headers(client, slot);
    client_note_end(client, reply);
    slot->again = http_shapes_answer(&client->shapes, slot->shape, reply->status, reply->proof);
    if (slot->again)
        return;
    if (client->options.only_second)
        http_reply_require_proof(reply);
    if (client->otlp && reply->status >= 200 && reply->status <= 299)
        client_read_answer(slot);
    http_exchange_answer(&slot->exchange, reply);
}

static void client_note_refused(struct http_reply *reply)
{
    if (!reply->unseen)
        return;
    reply->sent = false;
    reply->text = "the server refused the request without processing it";
}

static struct slot *client_slot(struct http_client *client, const CURL *easy)
{
    size_t i = 0;
    while (i < client->count && client->slots[i].request.easy != easy)
        i++;
    RULE(i < client->count, "libcurl reports the end of a request of this client");
    return &client->slots[i];
}

static void end_requests(struct http_client *client)
{
    int left;
    const CURLMsg *message;
    struct http_reply reply;
    while ((message = client->options.library->multi_info_read(client->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        struct slot *slot = client_slot(client, message->easy_handle);
        if (slot->headers == NULL)
            continue; /* libcurl reported the end of this request before */
        http_request_end(&slot->request, message->data.result, &reply);
        client_note_refused(&reply);
        end_request(client, slot, &reply);
        client_continue(client, slot);
    }
}

static bool client_abandons(struct http_client *client)
{
    mutex_lock(client->lock);
    bool abandons = client->abandons;
    mutex_unlock(client->lock);
    return abandons;
}

/* Ends all requests. The sink's thread waits for this, so it hands over no block during it. */
static void abandon_requests(struct http_client *client)
{
    struct http_reply reply;
    for (size_t i = 0; i < client->count; i++) {
        struct slot *slot = &client->slots[i];
        if (slot->state != SLOT_SENT && slot->state != SLOT_GIVEN)
            continue;
        if (slot->state == SLOT_SENT) {
            RULE(slot->headers != NULL, "a slot in this state has a request");
            http_request_give_up(&slot->request, &reply);
            end_request(client, slot, &reply);
        }
        slot->again = false;
        http_exchange_cancel(&slot->exchange, "it was not sent before the stop");
        set_ended(client, slot);
    }
    mutex_lock(client->lock);
    client->abandons = false;
    mutex_unlock(client->lock);
    wakeup_signal(client->abandoned);
}

static bool client_stops(struct http_client *client)
{
    mutex_lock(client->lock);
    bool stops = client->stops;
    mutex_unlock(client->lock);
    return stops;
}

/*
 * Waits for libcurl's sockets. After a failure libcurl may return at once each time, so the thread
 * also pauses.
 */
static void client_wait(struct http_client *client, CURLMcode performed)
{
    CURLMcode waited = client->options.library->multi_poll(client->multi, NULL, 0, LOOK_MS, NULL);
    if (performed != CURLM_OK || waited != CURLM_OK)
        pause_wait(client->pause, FAILED_PAUSE_NS);
}

static void client_run(void *argument)
{
    struct http_client *client = argument;
    const struct curl_library *library = client->options.library;
    int running;
    while (!client_stops(client)) {
        bool last = client_abandons(client);
        change_headers(client);
        if (!last)
            begin_requests(client);
        CURLMcode performed = library->multi_perform(client->multi, &running);
        end_requests(client);
        if (last)
            abandon_requests(client);
        client_wait(client, performed);
    }
}

/* --- the sink's thread ------------------------------------------------------------------------ */

bool http_client_send(struct http_client *client, struct delivery_block *block)
{
    struct slot *slot = NULL;
    mutex_lock(client->lock);
    for (size_t i = 0; i < client->count && slot == NULL; i++)
        if (client->slots[i].state == SLOT_EMPTY)
            slot = &client->slots[i];
    if (slot != NULL) {
        RULE(slot->headers == NULL && !slot->again, "an empty slot has no request");
        http_exchange_begin(&slot->exchange, block, client->options.format);
        slot->result = (struct http_result){0};
        slot->order = client->next_order++;
        slot->state = SLOT_GIVEN;
    }
    mutex_unlock(client->lock);
    if (slot != NULL)
        client->options.library->multi_wakeup(client->multi);
    return slot != NULL;
}

bool http_client_answer(struct http_client *client, struct http_result *result)
{
    struct slot *slot = move_one(client, SLOT_ENDED, SLOT_EMPTY);
    if (slot == NULL)
        return false;
    RULE(slot->result.block != NULL, "a slot whose block is answered has it");
    *result = slot->result;
    return true;
}

bool http_client_has_lessons(const struct http_client *client)
{
    return http_lessons_any(&client->lessons);
}

void http_client_set_headers(struct http_client *client, struct http_headers *headers)
{
    mutex_lock(client->lock);
    struct http_headers *unused = client->next_headers;
    client->next_headers = headers;
    mutex_unlock(client->lock);
    http_headers_free(unused);
    client->options.library->multi_wakeup(client->multi);
}

const struct delivery_figures *http_client_figures(const struct http_client *client)
{
    return &client->figures;
}

void http_client_abandon(struct http_client *client)
{
    mutex_lock(client->lock);
    client->abandons = true;
    mutex_unlock(client->lock);
    client->options.library->multi_wakeup(client->multi);
    while (client_abandons(client))
        wakeup_wait(client->abandoned, NO_HANDLE, false, LOOK_MS);
}

/* --- making a client -------------------------------------------------------------------------- */

static void end_thread(struct http_client *client)
{
    if (client->thread == NULL)
        return;
    mutex_lock(client->lock);
    client->stops = true;
    mutex_unlock(client->lock);
    client->options.library->multi_wakeup(client->multi);
    thread_join(client->thread);
}

void http_client_destroy(struct http_client *client)
{
    if (client == NULL)
        return;
    const struct curl_library *library = client->options.library;
    end_thread(client);
    for (size_t i = 0; i < client->count; i++) {
        struct slot *slot = &client->slots[i];
        if (slot->headers != NULL) {
            library->multi_remove_handle(client->multi, slot->request.easy);
            release_headers(client, slot);
        }
        http_request_free(&slot->request);
        http_body_free(&slot->body);
    }
    if (client->multi != NULL)
        library->multi_cleanup(client->multi);
    http_headers_free(client->headers);
    http_headers_free(client->next_headers);
    wakeup_destroy(client->abandoned);
    pause_destroy(client->pause);
    mutex_destroy(client->lock);
    free(client);
}

static bool make_slots(struct http_client *client)
{
    const struct http_client_options *options = &client->options;
    while (client->count < options->in_flight) {
        struct slot *slot = &client->slots[client->count++];
        if (!http_body_init(&slot->body, options->maker) ||
            !http_request_make(&slot->request, options->library, &options->request))
            return false;
    }
    return true;
}

static int client_fill(struct http_client *client, struct error *error)
{
    client->shapes.two = client->options.two_shapes;
    client->shapes.only_second = client->options.only_second;
    client->otlp = strcmp(client->options.format, "otlp") == 0;
    client->multi = client->options.library->multi_init();
    client->lock = mutex_create();
    client->pause = pause_create();
    if (client->multi == NULL || client->lock == NULL || client->pause == NULL ||
        !make_slots(client))
        return error_no_memory(error);
    if (wakeup_create(&client->abandoned, error) != 0)
        return -1;
    return thread_start(&client->thread, "http", client_run, client, error);
}

int http_client_create(const struct http_client_options *options, struct http_headers *headers,
                       struct http_client **out, struct error *error)
{
    struct http_client *made = calloc(1, http_client_memory(options->in_flight));
    if (made == NULL) {
        http_headers_free(headers);
        return error_no_memory(error);
    }
    made->options = *options;
    made->options.request.goaways = &made->goaways;
    made->headers = headers;
    if (client_fill(made, error) != 0) {
        http_client_destroy(made);
        return -1;
    }
    *out = made;
    return 0;
}
