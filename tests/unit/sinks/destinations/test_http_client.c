/*
 * The requests of an http: sink, with a libcurl that is scripted: what it reports, what it has
 * reported of the handle's previous request, and what it never comes to.
 */
#include "sinks/destinations/http_client.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "tests/support/test.h"

/* --- a libcurl that is scripted --------------------------------------------------------------- */

typedef size_t piece_function(char *bytes, size_t size, size_t count, void *context);

/* What comes of one request, of all handles, in the order in which they are added. */
struct step {
    enum { ANSWERS, NEVER_BEGINS, NEVER_ANSWERS, FAILS_AT_ONCE } what;
    CURLcode result;
    long status;
    long retry_after;
    const char *head; /* after the status line, with the empty line */
    const char *body;
    size_t body_size;
    size_t head_repeats; /* further header lines of 1,000 bytes */
    size_t body_repeats; /* the body so many times more */
};

struct handle {
    piece_function *read, *write, *header;
    void *read_data, *write_data, *header_data;
    const struct step *step;
    bool added, performed, reported;
    CURLcode result;
    CURLMsg message;
    long status, retry_after; /* stay until the next request is performed */
    struct handle *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct handle *handles;
    const struct step *steps;
    size_t step_count, added;
    bool woken;
    bool poll_fails;
    size_t polls;
    size_t head_taken, body_taken; /* bytes, of the last answer */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void fake_lock(void)
{
    pthread_mutex_lock(&fake.lock);
}

static void fake_unlock(void)
{
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static CURL *easy_init(void)
{
    struct handle *handle = calloc(1, sizeof *handle);
    assert_non_null(handle);
    handle->next = fake.handles;
    fake.handles = handle;
    return handle;
}

static void easy_cleanup(CURL *easy)
{
    struct handle **link = &fake.handles;
    while (*link != easy)
        link = &(*link)->next;
    *link = (*link)->next;
    free(easy);
}

static CURLcode easy_setopt(CURL *easy, CURLoption option, ...)
{
    struct handle *handle = easy;
    va_list more;
    va_start(more, option);
    switch (option) {
    case CURLOPT_READFUNCTION:
        handle->read = va_arg(more, piece_function *);
        break;
    case CURLOPT_READDATA:
        handle->read_data = va_arg(more, void *);
        break;
    case CURLOPT_WRITEFUNCTION:
        handle->write = va_arg(more, piece_function *);
        break;
    case CURLOPT_WRITEDATA:
        handle->write_data = va_arg(more, void *);
        break;
    case CURLOPT_HEADERFUNCTION:
        handle->header = va_arg(more, piece_function *);
        break;
    case CURLOPT_HEADERDATA:
        handle->header_data = va_arg(more, void *);
        break;
    default:
        break;
    }
    va_end(more);
    return CURLE_OK;
}

static CURLcode easy_getinfo(CURL *easy, CURLINFO info, ...)
{
    const struct handle *handle = easy;
    va_list more;
    va_start(more, info);
    if (info == CURLINFO_RESPONSE_CODE)
        *va_arg(more, long *) = handle->status;
    else if (info == CURLINFO_NUM_CONNECTS)
        *va_arg(more, long *) = 1;
    else if (info == CURLINFO_RETRY_AFTER)
        *va_arg(more, curl_off_t *) = handle->retry_after;
    else
        *va_arg(more, curl_off_t *) = 1000;
    va_end(more);
    return CURLE_OK;
}

static const char *easy_strerror(CURLcode code)
{
    (void)code;
    return "libcurl's word for it";
}

static CURLM *multi_init(void)
{
    return &fake;
}

static CURLMcode multi_cleanup(CURLM *multi)
{
    (void)multi;
    return CURLM_OK;
}

static CURLMcode multi_add_handle(CURLM *multi, CURL *easy)
{
    static const struct step taken = {.status = 204, .head = "\r\n"};
    struct handle *handle = easy;
    (void)multi;
    fake_lock();
    handle->step = fake.added < fake.step_count ? &fake.steps[fake.added] : &taken;
    handle->added = true;
    handle->performed = handle->reported = false;
    fake.added++;
    fake_unlock();
    return CURLM_OK;
}

static CURLMcode multi_remove_handle(CURLM *multi, CURL *easy)
{
    (void)multi;
    ((struct handle *)easy)->added = false;
    return CURLM_OK;
}

static bool give_head(struct handle *handle, const struct step *step)
{
    char line[1001];
    snprintf(line, sizeof line, "HTTP/1.1 %ld So\r\n", step->status);
    fake.head_taken = strlen(line);
    bool goes_on = handle->header(line, 1, strlen(line), handle->header_data) != 0;
    memset(line, 'x', sizeof line);
    line[1] = ':';
    for (size_t i = 0; goes_on && i < step->head_repeats; i++) {
        fake.head_taken += 1000;
        goes_on = handle->header(line, 1, 1000, handle->header_data) != 0;
    }
    for (const char *at = step->head; goes_on && at != NULL && *at != '\0';) {
        size_t size = strcspn(at, "\n") + 1;
        char copy[256];
        memcpy(copy, at, size);
        goes_on = handle->header(copy, 1, size, handle->header_data) != 0;
        at += size;
    }
    return goes_on;
}

static bool give_body(struct handle *handle, const struct step *step)
{
    bool goes_on = true;
    fake.body_taken = 0;
    for (size_t i = 0; goes_on && step->body_size != 0 && i <= step->body_repeats; i++) {
        char copy[1024];
        memcpy(copy, step->body, step->body_size);
        fake.body_taken += step->body_size;
        goes_on = handle->write(copy, 1, step->body_size, handle->write_data) != 0;
    }
    return goes_on;
}

static void perform(struct handle *handle)
{
    const struct step *step = handle->step;
    char body[64];
    if (step->what == NEVER_BEGINS || handle->performed)
        return;
    handle->performed = true;
    if (step->what == FAILS_AT_ONCE) { /* before libcurl has cleared what it knows */
        handle->result = step->result;
        handle->reported = true;
        return;
    }
    handle->status = handle->retry_after = 0;
    while (handle->read(body, 1, sizeof body, handle->read_data) != 0)
        continue;
    if (step->what == NEVER_ANSWERS)
        return;
    handle->status = step->status;
    handle->retry_after = step->retry_after;
    bool whole = give_head(handle, step) && give_body(handle, step);
    handle->result = whole ? step->result : CURLE_WRITE_ERROR;
    handle->reported = true;
}

static CURLMcode multi_perform(CURLM *multi, int *running)
{
    (void)multi;
    fake_lock();
    *running = 0;
    for (struct handle *handle = fake.handles; handle != NULL; handle = handle->next)
        if (handle->added)
            perform(handle);
    fake_unlock();
    return CURLM_OK;
}

static CURLMsg *multi_info_read(CURLM *multi, int *left)
{
    (void)multi;
    *left = 0;
    for (struct handle *handle = fake.handles; handle != NULL; handle = handle->next)
        if (handle->added && handle->reported) {
            handle->reported = false;
            handle->message = (CURLMsg){.msg = CURLMSG_DONE, .easy_handle = handle};
            handle->message.data.result = handle->result;
            return &handle->message;
        }
    return NULL;
}

/* Waits for a wake-up, or for what was added since to be performed. */
static CURLMcode multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count, int timeout_ms,
                            int *ready)
{
    (void)multi, (void)more, (void)count, (void)timeout_ms, (void)ready;
    fake_lock();
    fake.polls++;
    bool fails = fake.poll_fails;
    bool due = false;
    for (struct handle *handle = fake.handles; handle != NULL; handle = handle->next)
        due = due || (handle->added && !handle->performed && handle->step->what != NEVER_BEGINS);
    while (!fails && !due && !fake.woken)
        pthread_cond_wait(&fake.changed, &fake.lock);
    fake.woken = false;
    fake_unlock();
    return fails ? CURLM_INTERNAL_ERROR : CURLM_OK;
}

static CURLMcode multi_wakeup(CURLM *multi)
{
    (void)multi;
    fake_lock();
    fake.woken = true;
    fake_unlock();
    return CURLM_OK;
}

static struct curl_slist *slist_append(struct curl_slist *list, const char *text)
{
    (void)text;
    static char nothing[] = "";
    static struct curl_slist any = {.data = nothing};
    return list != NULL ? list : &any;
}

static void slist_free_all(struct curl_slist *list)
{
    (void)list;
}

static const struct curl_library library = {
    .easy_init = easy_init,
    .easy_cleanup = easy_cleanup,
    .easy_strerror = easy_strerror,
    .easy_setopt = easy_setopt,
    .easy_getinfo = easy_getinfo,
    .multi_init = multi_init,
    .multi_cleanup = multi_cleanup,
    .multi_add_handle = multi_add_handle,
    .multi_remove_handle = multi_remove_handle,
    .multi_perform = multi_perform,
    .multi_poll = multi_poll,
    .multi_wakeup = multi_wakeup,
    .multi_info_read = multi_info_read,
    .slist_append = slist_append,
    .slist_free_all = slist_free_all,
};

static void wait_for_added(size_t count)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.added < count)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

/* --- a client --------------------------------------------------------------------------------- */

#define RECORDS 4

static struct http_client *client;
static struct http_urls urls;
static struct http_body_maker *maker;
static struct wakeup *wakeup;
static struct delivery_record records[RECORDS];
static struct delivery_block block;

static void begin(const char *format, const struct step *steps, size_t count)
{
    static struct encoder_ops encoder;
    struct error error;
    struct http_options none = {0};
    struct http_headers *headers;
    encoder = (struct encoder_ops){.name = format};
    fake.steps = steps;
    fake.step_count = count;
    fake.added = fake.polls = 0;
    fake.woken = fake.poll_fails = false;
    assert_int_equal(http_urls_make("http", "//127.0.0.1:1/w", NULL, false, &urls, &error), 0);
    assert_int_equal(http_headers_make(&library, &encoder, NULL, &none, &headers, &error), 0);
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    maker = http_body_maker_create(&encoder, NULL, 4096);
    const struct http_client_options options = {.library = &library,
                                                .format = format,
                                                .urls = &urls,
                                                .maker = maker,
                                                .request = {.timeout_ms = 1000},
                                                .in_flight = 1,
                                                .wakeup = wakeup};
    assert_int_equal(http_client_create(&options, headers, &client, &error), 0);
}

static void end(void)
{
    http_client_destroy(client);
    http_body_maker_destroy(maker);
    http_urls_free(&urls);
    wakeup_destroy(wakeup);
    assert_null(fake.handles);
}

static void send_block(size_t count)
{
    static const char bytes[] = "{}\n{}\n{}\n{}\n";
    for (size_t i = 0; i < count; i++)
        records[i] = (struct delivery_record){
            .offset = (uint32_t)(3 * i), .size = 3, .lines = 1, .samples = 1};
    block = (struct delivery_block){.route = "",
                                    .bytes = (const uint8_t *)bytes,
                                    .size = 3 * count,
                                    .records = records,
                                    .count = count,
                                    .epoch = "e"};
    assert_true(http_client_send(client, &block));
}

static struct http_result wait_for_answer(void)
{
    struct http_result result;
    while (!http_client_answer(client, &result))
        wakeup_wait(wakeup, NO_HANDLE, false, -1);
    assert_ptr_equal(result.block, &block);
    return result;
}

/* Of what is given up when so many requests were added. */
static struct http_result abandon_after(size_t added)
{
    struct http_result result;
    wait_for_added(added);
    http_client_abandon(client);
    assert_true(http_client_answer(client, &result));
    return result;
}

static void assert_fates(size_t count, const enum delivery_outcome *fates)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(records[i].outcome, fates[i]);
}

#define STEPS(steps) (steps), sizeof(steps) / sizeof(steps)[0]

/* --- what is given up ------------------------------------------------------------------------- */

TEST(what_never_left_has_no_answer_of_the_request_before_it)
{
    static const struct step steps[] = {
        {.status = 413, .head = "\r\n"}, {.status = 200, .head = "\r\n"}, {.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(2);
    abandon_after(3);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED, DELIVERY_NOT_SENT});
    end();
}

TEST(nor_is_it_refused_as_the_request_before_it_was)
{
    static const struct step steps[] = {
        {.status = 413, .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
        {.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(2);
    struct http_result result = abandon_after(2);
    assert_fates(2, (enum delivery_outcome[]){DELIVERY_NOT_SENT, DELIVERY_NOT_SENT});
    assert_int_equal(result.retry_after_ns, 0);
    end();
}

TEST(what_has_left_by_then_is_unknown)
{
    static const struct step steps[] = {{.status = 200, .head = "\r\n"}, {.what = NEVER_ANSWERS}};
    begin("json", STEPS(steps));
    send_block(1);
    wait_for_answer();
    send_block(1);
    abandon_after(2);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    end();
}

TEST(after_that_it_goes_on)
{
    static const struct step steps[] = {{.what = NEVER_BEGINS}};
    begin("json", STEPS(steps));
    send_block(1);
    abandon_after(1);
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    end();
}

/* --- what libcurl still knows of the request before ------------------------------------------- */

TEST(a_request_that_fails_before_it_begins_has_no_answer_of_the_one_before)
{
    static const long statuses[] = {200, 400, 429};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const struct step steps[] = {
            {.status = statuses[i], .retry_after = 7, .head = "Retry-After: 7\r\n\r\n"},
            {.what = FAILS_AT_ONCE, .result = CURLE_COULDNT_CONNECT}};
        begin("json", STEPS(steps));
        send_block(1);
        wait_for_answer();
        send_block(1);
        struct http_result result = wait_for_answer();
        assert_fates(1, (enum delivery_outcome[]){DELIVERY_NOT_SENT});
        assert_int_equal(result.retry_after_ns, 0);
        assert_string_equal(result.error.text, "libcurl's word for it");
        end();
    }
}

/* --- answers that are cut, or have no end ----------------------------------------------------- */

static struct http_result answered_by(const char *format, const struct step *step)
{
    begin(format, step, 1);
    send_block(1);
    struct http_result result = wait_for_answer();
    end();
    return result;
}

TEST(success_whose_body_is_cut_acknowledges_nothing)
{
    const struct step cut = {.result = CURLE_PARTIAL_FILE,
                             .status = 200,
                             .head = "Content-Length: 9\r\n\r\n",
                             .body = "abc",
                             .body_size = 3};
    struct http_result result = answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    assert_non_null(strstr(result.error.text, "answered 200, but its answer was cut"));
}

TEST(a_refusal_whose_body_is_cut_is_one)
{
    const struct step cut = {.result = CURLE_PARTIAL_FILE,
                             .status = 400,
                             .head = "Content-Length: 9\r\n\r\n",
                             .body = "abc",
                             .body_size = 3};
    answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_REFUSED});
}

TEST(headers_that_are_cut_are_no_answer)
{
    static const long statuses[] = {200, 400, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const struct step cut = {
            .result = CURLE_RECV_ERROR, .status = statuses[i], .head = "X: y\r\n"};
        answered_by("json", &cut);
        assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    }
}

TEST(headers_that_are_cut_after_an_interim_answer_are_no_answer)
{
    const struct step cut = {.result = CURLE_RECV_ERROR,
                             .status = 400,
                             .head = "\r\nHTTP/1.1 400 Bad Request\r\nX: y\r\n"};
    answered_by("json", &cut);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
}

TEST(headers_without_end_are_not_read_on)
{
    const struct step endless = {.status = 200, .head_repeats = 1000000, .head = "\r\n"};
    struct http_result result = answered_by("json", &endless);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_UNKNOWN});
    assert_in_range(fake.head_taken, 1, HTTP_HEAD_MOST + 1000);
    assert_non_null(strstr(result.error.text, "longer than 256 KiB"));
}

TEST(of_a_body_without_end_the_status_counts)
{
    const struct step endless = {.status = 200,
                                 .head = "\r\n",
                                 .body = "0123456789abcdef",
                                 .body_size = 16,
                                 .body_repeats = 1000000};
    answered_by("json", &endless);
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    assert_in_range(fake.body_taken, 1, HTTP_ANSWER_MOST + 16);
}

/* --- OTLP ------------------------------------------------------------------------------------- */

TEST(a_receiver_cannot_leave_out_more_points_than_it_was_sent)
{
    static const char most[] = "\x0a\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\x00";
    const struct step liar = {
        .status = 200, .head = "\r\n", .body = most, .body_size = sizeof most - 1};
    assert_int_equal(answered_by("otlp", &liar).points_rejected, 1);
    begin("otlp", &liar, 1);
    send_block(RECORDS);
    assert_int_equal(wait_for_answer().points_rejected, RECORDS);
    end();
}

/* --- a libcurl that cannot wait --------------------------------------------------------------- */

TEST(where_libcurl_cannot_wait_the_thread_does_not_spin)
{
    enum { POLLS = 5 };
    begin("json", NULL, 0);
    int64_t start = clock_monotonic_ns();
    fake_lock();
    fake.poll_fails = true;
    fake.polls = 0;
    fake.woken = true;
    fake_unlock();
    pthread_mutex_lock(&fake.lock);
    while (fake.polls < POLLS)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
    assert_true(clock_monotonic_ns() - start >= (POLLS - 2) * INT64_C(20000000));
    send_block(1);
    wait_for_answer();
    assert_fates(1, (enum delivery_outcome[]){DELIVERY_ACKNOWLEDGED});
    end();
}
