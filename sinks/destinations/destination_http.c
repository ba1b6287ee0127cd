/*
 * http: and https: a block of records is the body of a POST request, by libcurl.
 *
 * A thread of its own drives libcurl: names are looked up, connections made and bodies sent there,
 * while the sink's thread collects the next records. The two hand requests to each other under a
 * lock that is never held while anything is waited for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/mutex.h"
#include "collector/platform/thread.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/http_answer.h"
#include "sinks/destinations/http_headers.h"
#include "sinks/destinations/http_request.h"
#include "sinks/destinations/http_url.h"

/* Bytes that libcurl takes when it is connected, and an allowance for each of its connections. */
#define LIBRARY_MEMORY    ((size_t)3 * 1024 * 1024)
#define CONNECTION_MEMORY ((size_t)192 * 1024)

/* At the latest then the thread looks again; it is woken for all that it has to do. */
#define LOOK_MS 1000

enum slot_state {
    SLOT_EMPTY,
    SLOT_GIVEN, /* to the thread */
    SLOT_SENT,  /* it is under way */
    SLOT_ENDED, /* its block has its answer */
};

struct slot {
    enum slot_state state; /* under the lock */
    struct http_request request;
};

struct http {
    struct destination destination;
    const struct curl_library *library;
    CURLM *multi;
    struct curl_slist *headers;
    char *url;
    struct thread *thread;
    struct mutex *lock;
    struct wakeup *sink;      /* of the sink's thread */
    struct wakeup *abandoned; /* the sink's thread waits for that */

    /* Under the lock. */
    bool stops, abandons;

    size_t count;
    struct slot slots[];
};

static struct http *of(struct destination *destination)
{
    return (struct http *)destination;
}

/* --- the thread that drives libcurl ----------------------------------------------------------- */

/* The first in that state goes to the next one. Returns NULL where there is none. */
static struct slot *move_one(struct http *http, enum slot_state from, enum slot_state to)
{
    struct slot *found = NULL;
    mutex_lock(http->lock);
    for (size_t i = 0; i < http->count && found == NULL; i++)
        if (http->slots[i].state == from)
            found = &http->slots[i];
    if (found != NULL)
        found->state = to;
    mutex_unlock(http->lock);
    return found;
}

static void set_ended(struct http *http, struct slot *slot)
{
    mutex_lock(http->lock);
    slot->state = SLOT_ENDED;
    mutex_unlock(http->lock);
}

static void end_request(struct http *http, struct slot *slot, CURLcode result)
{
    http->library->multi_remove_handle(http->multi, slot->request.easy);
    http_request_end(&slot->request, result);
    set_ended(http, slot);
}

static void cancel_request(struct http *http, struct slot *slot)
{
    http_request_cancel(&slot->request);
    set_ended(http, slot);
}

static void begin_requests(struct http *http)
{
    struct slot *slot;
    while ((slot = move_one(http, SLOT_GIVEN, SLOT_SENT)) != NULL)
        if (http->library->multi_add_handle(http->multi, slot->request.easy) != CURLM_OK) {
            cancel_request(http, slot);
            wakeup_signal(http->sink);
        }
}

static struct slot *slot_of(struct http *http, const CURL *easy)
{
    size_t i = 0;
    while (http->slots[i].request.easy != easy)
        i++;
    return &http->slots[i];
}

static void end_requests(struct http *http)
{
    bool any = false;
    int left;
    const CURLMsg *message;
    while ((message = http->library->multi_info_read(http->multi, &left)) != NULL)
        if (message->msg == CURLMSG_DONE) {
            end_request(http, slot_of(http, message->easy_handle), message->data.result);
            any = true;
        }
    if (any)
        wakeup_signal(http->sink);
}

static bool abandons(struct http *http)
{
    mutex_lock(http->lock);
    bool abandons = http->abandons;
    http->abandons = false;
    mutex_unlock(http->lock);
    return abandons;
}

/* Nothing is given meanwhile: whoever gives waits for this. */
static void abandon_requests(struct http *http)
{
    for (size_t i = 0; i < http->count; i++) {
        if (http->slots[i].state == SLOT_SENT)
            end_request(http, &http->slots[i], CURLE_OK);
        else if (http->slots[i].state == SLOT_GIVEN)
            cancel_request(http, &http->slots[i]);
    }
    wakeup_signal(http->abandoned);
}

static bool stops(struct http *http)
{
    mutex_lock(http->lock);
    bool stops = http->stops;
    mutex_unlock(http->lock);
    return stops;
}

static void run(void *argument)
{
    struct http *http = argument;
    int running;
    while (!stops(http)) {
        begin_requests(http);
        http->library->multi_perform(http->multi, &running);
        end_requests(http);
        if (abandons(http))
            abandon_requests(http);
        http->library->multi_poll(http->multi, NULL, 0, LOOK_MS, NULL);
    }
}

/* --- the sink's thread ------------------------------------------------------------------------ */

static bool send_block(struct destination *destination, struct delivery_block *block,
                       struct error *error)
{
    (void)error;
    struct http *http = of(destination);
    struct slot *slot = NULL;
    mutex_lock(http->lock);
    for (size_t i = 0; i < http->count && slot == NULL; i++)
        if (http->slots[i].state == SLOT_EMPTY)
            slot = &http->slots[i];
    if (slot != NULL) {
        http_request_begin(&slot->request, block);
        slot->state = SLOT_GIVEN;
    }
    mutex_unlock(http->lock);
    if (slot != NULL)
        http->library->multi_wakeup(http->multi);
    return slot != NULL;
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    struct slot *slot = move_one(of(destination), SLOT_ENDED, SLOT_EMPTY);
    if (slot == NULL)
        return NULL;
    *error = slot->request.error;
    *retry_after_ns = slot->request.retry_after_ns;
    return slot->request.block;
}

static void abandon(struct destination *destination)
{
    struct http *http = of(destination);
    mutex_lock(http->lock);
    http->abandons = true;
    mutex_unlock(http->lock);
    http->library->multi_wakeup(http->multi);
    wakeup_wait(http->abandoned, NO_HANDLE, false, -1);
}

static const struct delivery_ops delivery_ops = {
    .send = send_block,
    .answer = answer,
    .abandon = abandon,
};

/* --- making one ------------------------------------------------------------------------------- */

static void end_thread(struct http *http)
{
    if (http->thread == NULL)
        return;
    mutex_lock(http->lock);
    http->stops = true;
    mutex_unlock(http->lock);
    http->library->multi_wakeup(http->multi);
    thread_join(http->thread);
}

static void destroy(struct destination *destination)
{
    struct http *http = of(destination);
    end_thread(http);
    for (size_t i = 0; i < http->count; i++) {
        if (http->slots[i].state == SLOT_SENT)
            http->library->multi_remove_handle(http->multi, http->slots[i].request.easy);
        http_request_free(&http->slots[i].request);
    }
    if (http->multi != NULL)
        http->library->multi_cleanup(http->multi);
    if (http->headers != NULL)
        http->library->slist_free_all(http->headers);
    wakeup_destroy(http->abandoned);
    mutex_destroy(http->lock);
    free(http->url);
    free(http);
}

/* Returns false where memory is short. */
static bool add_header(struct http *http, const char *line)
{
    struct curl_slist *longer = http->library->slist_append(http->headers, line);
    if (longer != NULL)
        http->headers = longer;
    return longer != NULL;
}

/* Without the question whether a body is welcome, for which libcurl would wait a second. */
static bool make_headers(struct http *http, const struct destination_options *options)
{
    char type[128];
    snprintf(type, sizeof type, "Content-Type: %s", http_content_type(options->encoder->name));
    return add_header(http, type) && add_header(http, "Expect:") &&
           add_header(http, "User-Agent: sluice");
}

static int read_headers(struct http *http, const struct destination_options *options,
                        struct error *error)
{
    if (options->http.header_file == NULL)
        return 0;
    return http_headers_read(options->http.header_file, http->library, &http->headers, error);
}

static bool make_requests(struct http *http, const struct destination_options *options)
{
    const struct http_request_options common = {
        .url = http->url,
        .headers = http->headers,
        .ca = options->http.ca,
        .timeout_ms = (int64_t)(options->timeout_ns / 3 / 1000000),
    };
    while (http->count < options->in_flight) {
        if (!http_request_make(&http->slots[http->count].request, http->library, &common))
            return false;
        http->count++;
    }
    return true;
}

static int fill(struct http *http, const char *scheme, const struct destination_options *options,
                struct error *error)
{
    http->sink = options->wakeup;
    http->library = curl_library(error);
    if (http->library == NULL ||
        http_url_make(scheme, options->path, options->http.query, &http->url, error) != 0)
        return -1;
    http->multi = http->library->multi_init();
    http->lock = mutex_create();
    if (http->multi == NULL || http->lock == NULL || !make_headers(http, options))
        return error_no_memory(error);
    if (read_headers(http, options, error) != 0)
        return -1;
    if (!make_requests(http, options))
        return error_no_memory(error);
    if (wakeup_create(&http->abandoned, error) != 0)
        return -1;
    return thread_start(&http->thread, "http", run, http, error);
}

static int create(const char *scheme, const struct destination_options *options,
                  struct destination **out, struct error *error)
{
    struct http *made = calloc(1, sizeof *made + options->in_flight * sizeof made->slots[0]);
    if (made == NULL)
        return error_no_memory(error);
    made->destination = (struct destination){.delivery = &delivery_ops, .destroy = destroy};
    if (fill(made, scheme, options, error) != 0) {
        destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

static int create_http(const struct destination_options *options, struct destination **out,
                       struct error *error)
{
    return create("http", options, out, error);
}

static int create_https(const struct destination_options *options, struct destination **out,
                        struct error *error)
{
    return create("https", options, out, error);
}

/* All but the connection. */
static int check(const struct destination_options *options, struct error *error)
{
    const struct curl_library *library = curl_library(error);
    struct curl_slist *headers = NULL;
    char *url = NULL;
    if (library == NULL ||
        http_url_make("http", options->path, options->http.query, &url, error) != 0)
        return -1;
    free(url);
    if (options->http.header_file == NULL)
        return 0;
    int result = http_headers_read(options->http.header_file, library, &headers, error);
    library->slist_free_all(headers);
    return result;
}

/* As "libcurl/7.88.1", without what it is made of itself. */
static const char *library(void)
{
    static char text[32];
    struct error error;
    const struct curl_library *curl = curl_library(&error);
    if (curl == NULL)
        return NULL;
    const char *version = curl->version();
    snprintf(text, sizeof text, "%.*s", (int)strcspn(version, " "), version);
    return text;
}

static bool shape(const struct destination_options *options, struct destination_shape *shape)
{
    *shape = (struct destination_shape){
        .memory = sizeof(struct http) + LIBRARY_MEMORY +
                  options->in_flight * (sizeof(struct slot) + CONNECTION_MEMORY),
    };
    return true;
}

const struct destination_ops destination_http = {
    .scheme = "http",
    .place = "//HOST:PORT/PATH",
    .needs_path = true,
    .is_delivery = true,
    .is_http = true,
    .library = library,
    .shape = shape,
    .check = check,
    .create = create_http,
};

const struct destination_ops destination_https = {
    .scheme = "https",
    .place = "//HOST:PORT/PATH",
    .needs_path = true,
    .is_delivery = true,
    .is_http = true,
    .shape = shape,
    .check = check,
    .create = create_https,
};
