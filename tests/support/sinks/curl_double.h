/*
 * Replaces libcurl in tests, by a table of functions that send no data. A script decides the course
 * of each request. A request may never begin, as during a slow name lookup. It may be sent and not
 * answered. Its answer may be late, truncated, or reported twice. Or the request may fail before it
 * begins, while the status of the previous request is still set.
 *
 * There is one multi handle. The functions of libcurl run in the client's thread, those below in
 * the test's thread.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_CURL_DOUBLE_H
#define SLUICE_TESTS_SUPPORT_SINKS_CURL_DOUBLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "sinks/destinations/curl_library.h"

#define CURL_DOUBLE_NEVER SIZE_MAX

/* The course of one request. */
struct curl_step {
    enum { ANSWERS, NEVER_BEGINS, NEVER_ANSWERS, FAILS_AT_ONCE } what;
    CURLcode result;
    long status;
    long retry_after;
    /* Header lines after the status line, with the empty line at their end. */
    const char *head;
    const char *body;
    size_t body_size;
    /* Number of further header lines, each of 1,000 bytes. */
    size_t head_repeats;
    size_t body_repeats; /* number of times that the body is repeated */
    /* The number of requests that must be answered before this one. */
    size_t after;
    unsigned repeats; /* number of additional reports of its end */
};

struct curl_double_handle;

/* A test may use these members. It must hold `lock` while it reads or writes them. */
struct curl_double {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct curl_double_handle *handles;
    /* The course of each request, in the order in which requests are added. */
    const struct curl_step *steps;
    size_t step_count;            /* requests after the last step are answered with 204 */
    size_t added, sent, answered; /* counts of requests */
    size_t polls;
    bool woken;
    bool poll_fails;
    /* Bytes of the last answer that the client accepted. */
    size_t head_taken, body_taken;

    /*
     * If set, decides the course of a request with this body in place of `steps`. Called with the
     * lock held.
     */
    void (*decide)(const char *body, size_t size, struct curl_step *step);
};

extern struct curl_double curl_double;
extern const struct curl_library curl_double_library;

#define CURL_STEPS(steps) (steps), sizeof(steps) / sizeof(steps)[0]

/* Resets the double; call it before a client is created. Sets `decide` to NULL. */
void curl_double_begin(const struct curl_step *steps, size_t count);

void curl_double_lock(void);

/* Also wakes all threads that wait for a change. */
void curl_double_unlock(void);

/* Waits until a counter of curl_double is at least `count`. */
void curl_double_wait_for(const size_t *counter, size_t count);

/* Answers the requests that wait for other requests (`after`). */
void curl_double_release(void);

#endif
