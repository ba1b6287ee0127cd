#include "tests/support/sinks/curl_double.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#define SENT_MOST 4096

typedef size_t piece_function(char *bytes, size_t size, size_t count, void *context);

struct curl_double_handle {
    piece_function *read, *write, *header;
    void *read_data, *write_data, *header_data;
    struct curl_step step;
    char sent_bytes[SENT_MOST];
    size_t sent_size;
    bool added, sent, answered, reported;
    unsigned repeats;
    CURLcode result;
    CURLMsg message;
    long status, retry_after; /* unchanged until the next request is sent */
    struct curl_double_handle *next;
};

struct curl_double curl_double = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                  .changed = PTHREAD_COND_INITIALIZER};

void curl_double_begin(const struct curl_step *steps, size_t count)
{
    curl_double.steps = steps;
    curl_double.step_count = count;
    curl_double.added = curl_double.sent = curl_double.answered = curl_double.polls = 0;
    curl_double.woken = curl_double.poll_fails = false;
    curl_double.decide = NULL;
}

void curl_double_lock(void)
{
    pthread_mutex_lock(&curl_double.lock);
}

void curl_double_unlock(void)
{
    pthread_cond_broadcast(&curl_double.changed);
    pthread_mutex_unlock(&curl_double.lock);
}

void curl_double_wait_for(const size_t *counter, size_t count)
{
    pthread_mutex_lock(&curl_double.lock);
    while (*counter < count)
        pthread_cond_wait(&curl_double.changed, &curl_double.lock);
    pthread_mutex_unlock(&curl_double.lock);
}

void curl_double_release(void)
{
    curl_double_lock();
    curl_double.answered = CURL_DOUBLE_NEVER - 1;
    curl_double_unlock();
}

/* --- handles ---------------------------------------------------------------------------------- */

static CURL *easy_init(void)
{
    struct curl_double_handle *handle = calloc(1, sizeof *handle);
    assert_non_null(handle);
    handle->next = curl_double.handles;
    curl_double.handles = handle;
    return handle;
}

static void easy_cleanup(CURL *easy)
{
    struct curl_double_handle **link = &curl_double.handles;
    while (*link != easy)
        link = &(*link)->next;
    *link = (*link)->next;
    free(easy);
}

static CURLcode easy_setopt(CURL *easy, CURLoption option, ...)
{
    struct curl_double_handle *handle = easy;
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
    const struct curl_double_handle *handle = easy;
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

/* --- requests --------------------------------------------------------------------------------- */

static CURLM *multi_init(void)
{
    return &curl_double;
}

static CURLMcode multi_cleanup(CURLM *multi)
{
    (void)multi;
    return CURLM_OK;
}

static CURLMcode multi_add_handle(CURLM *multi, CURL *easy)
{
    static const struct curl_step taken = {.status = 204, .head = "\r\n"};
    struct curl_double_handle *handle = easy;
    (void)multi;
    curl_double_lock();
    handle->step =
        curl_double.added < curl_double.step_count ? curl_double.steps[curl_double.added] : taken;
    handle->added = true;
    handle->sent = handle->answered = handle->reported = false;
    curl_double.added++;
    curl_double_unlock();
    return CURLM_OK;
}

static CURLMcode multi_remove_handle(CURLM *multi, CURL *easy)
{
    (void)multi;
    ((struct curl_double_handle *)easy)->added = false;
    return CURLM_OK;
}

static bool give_head(struct curl_double_handle *handle, const struct curl_step *step)
{
    char line[1001];
    snprintf(line, sizeof line, "HTTP/1.1 %ld So\r\n", step->status);
    curl_double.head_taken = strlen(line);
    bool goes_on = handle->header(line, 1, strlen(line), handle->header_data) != 0;
    memset(line, 'x', sizeof line);
    line[1] = ':';
    for (size_t i = 0; goes_on && i < step->head_repeats; i++) {
        curl_double.head_taken += 1000;
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

static bool give_body(struct curl_double_handle *handle, const struct curl_step *step)
{
    bool goes_on = true;
    curl_double.body_taken = 0;
    for (size_t i = 0; goes_on && step->body_size != 0 && i <= step->body_repeats; i++) {
        char copy[1024];
        memcpy(copy, step->body, step->body_size);
        curl_double.body_taken += step->body_size;
        goes_on = handle->write(copy, 1, step->body_size, handle->write_data) != 0;
    }
    return goes_on;
}

static void note_end(struct curl_double_handle *handle, CURLcode result)
{
    handle->result = result;
    handle->answered = handle->reported = true;
    handle->repeats = handle->step.repeats;
    if (curl_double.answered < CURL_DOUBLE_NEVER - 1)
        curl_double.answered++;
}

static void send_body(struct curl_double_handle *handle)
{
    char piece[64];
    size_t size;
    handle->sent = true;
    handle->status = handle->retry_after = 0;
    handle->sent_size = 0;
    while ((size = handle->read(piece, 1, sizeof piece, handle->read_data)) != 0)
        if (handle->sent_size + size <= SENT_MOST) {
            memcpy(handle->sent_bytes + handle->sent_size, piece, size);
            handle->sent_size += size;
        }
    curl_double.sent++;
    if (curl_double.decide != NULL)
        curl_double.decide(handle->sent_bytes, handle->sent_size, &handle->step);
}

static bool can_be_sent(const struct curl_double_handle *handle)
{
    return handle->added && !handle->sent && !handle->answered && handle->step.what != NEVER_BEGINS;
}

static bool can_be_answered(const struct curl_double_handle *handle)
{
    return handle->added && handle->sent && !handle->answered && handle->step.what == ANSWERS &&
           curl_double.answered >= handle->step.after;
}

static void perform(struct curl_double_handle *handle)
{
    const struct curl_step *step = &handle->step;
    if (can_be_sent(handle)) {
        /* The handle still has the status of its previous request, as in libcurl. */
        if (step->what == FAILS_AT_ONCE) {
            note_end(handle, step->result);
            return;
        }
        send_body(handle);
    }
    if (!can_be_answered(handle))
        return;
    handle->status = step->status;
    handle->retry_after = step->retry_after;
    bool whole = give_head(handle, step) && give_body(handle, step);
    note_end(handle, whole ? step->result : CURLE_WRITE_ERROR);
}

static CURLMcode multi_perform(CURLM *multi, int *running)
{
    (void)multi;
    curl_double_lock();
    *running = 0;
    for (struct curl_double_handle *handle = curl_double.handles; handle != NULL;
         handle = handle->next)
        perform(handle);
    curl_double_unlock();
    return CURLM_OK;
}

/*
 * Returns a report. As in libcurl, unread reports of a removed handle are lost, but those of a
 * handle that was added again are not.
 */
static CURLMsg *multi_info_read(CURLM *multi, int *left)
{
    (void)multi;
    *left = 0;
    for (struct curl_double_handle *handle = curl_double.handles; handle != NULL;
         handle = handle->next) {
        bool again = !handle->reported && handle->repeats != 0;
        if (!again && !(handle->added && handle->reported))
            continue;
        handle->reported = false;
        handle->repeats -= again;
        handle->message = (CURLMsg){.msg = CURLMSG_DONE, .easy_handle = handle};
        handle->message.data.result = handle->result;
        return &handle->message;
    }
    return NULL;
}

/* Waits for a wake-up, or until a request can be sent or answered. */
static CURLMcode multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count, int timeout_ms,
                            int *ready)
{
    (void)multi, (void)more, (void)count, (void)timeout_ms, (void)ready;
    curl_double_lock();
    curl_double.polls++;
    bool fails = curl_double.poll_fails;
    for (;;) {
        bool due = fails || curl_double.woken;
        for (const struct curl_double_handle *handle = curl_double.handles; handle != NULL;
             handle = handle->next)
            due = due || can_be_sent(handle) || can_be_answered(handle);
        if (due)
            break;
        pthread_cond_wait(&curl_double.changed, &curl_double.lock);
    }
    curl_double.woken = false;
    curl_double_unlock();
    return fails ? CURLM_INTERNAL_ERROR : CURLM_OK;
}

static CURLMcode multi_wakeup(CURLM *multi)
{
    (void)multi;
    curl_double_lock();
    curl_double.woken = true;
    curl_double_unlock();
    return CURLM_OK;
}

const struct curl_library curl_double_library = {
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
