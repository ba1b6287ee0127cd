/*
 * A libcurl for tests: a table of its functions that sends nothing. A script decides the course of
 * each request: it never begins, as during a lookup of a name; it is sent and not answered; its
 * answer comes late, is cut, or is reported twice; or libcurl fails before it begins, and still has
 * the status of the handle's previous request.
 *
 * There is one multi handle. Its functions run in the client's thread; the others in the test's.
 *
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_CURL_DOUBLE_H
#define SLUICE_TESTS_SUPPORT_SINKS_CURL_DOUBLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "sinks/destinations/curl_library.h"

#define CURL_DOUBLE_NEVER SIZE_MAX

/* How one request ends. */
struct curl_step {
    enum { ANSWERS, NEVER_BEGINS, NEVER_ANSWERS, FAILS_AT_ONCE } what;
    CURLcode result;
    long status;
    long retry_after;
    const char *head; /* headers after the status line, including the empty line */
    const char *body;
    size_t body_size;
    size_t head_repeats; /* further header lines of 1,000 bytes */
    size_t body_repeats; /* how often the body is repeated */
    size_t after;        /* number of requests that must be answered before this one */
    unsigned repeats;    /* how often its end is reported once more */
};

struct curl_double_handle;

/* Members that the test may use. `lock` must be held while they are read or written. */
struct curl_double {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct curl_double_handle *handles;
    const struct curl_step *steps; /* for the requests of all handles, in the order in which they
                                      are added */
    size_t step_count;             /* later requests are answered with 204 */
    size_t added, sent, answered;  /* requests */
    size_t polls;
    bool woken;
    bool poll_fails;
    size_t head_taken, body_taken; /* bytes of the last answer */

    /*
     * If set, decides the course of a request with this body instead of `steps`. Called with the
     * lock held.
     */
    void (*decide)(const char *body, size_t size, struct curl_step *step);
};

extern struct curl_double curl_double;
extern const struct curl_library curl_double_library;

#define CURL_STEPS(steps) (steps), sizeof(steps) / sizeof(steps)[0]

/* Called before a client is created. Sets `decide` to NULL. */
void curl_double_begin(const struct curl_step *steps, size_t count);

void curl_double_lock(void);

/* Also wakes all threads that wait for a change. */
void curl_double_unlock(void);

/* Waits until a counter of curl_double is at least `count`. */
void curl_double_wait_for(const size_t *counter, size_t count);

/* Answers that wait for others (`after`) come now. */
void curl_double_release(void);

#endif
