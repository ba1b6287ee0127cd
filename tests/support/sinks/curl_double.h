/*
 * A libcurl for tests: a table of its functions that sends nothing. A script says what becomes of
 * each request: it never begins, as during a lookup of a name; it is sent and not answered; its
 * answer comes late, is cut, or is reported twice; or libcurl fails before it begins, and still has
 * the status of the handle's previous request.
 *
 * There is one multi handle. Its functions run in the client's thread; the others in the test's.
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
    const char *head; /* after the status line, with the empty line */
    const char *body;
    size_t body_size;
    size_t head_repeats; /* further header lines of 1,000 bytes */
    size_t body_repeats; /* how often the body comes again */
    size_t after;        /* answers that come before this one */
    unsigned repeats;    /* how often its end is reported again */
};

struct curl_double_handle;

/* Public members of the lock: `lock` is held while they are read or written. */
struct curl_double {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct curl_double_handle *handles;
    const struct curl_step *steps; /* of all handles, in the order in which they are added */
    size_t step_count;             /* later requests are answered with 204 */
    size_t added, sent, answered;  /* requests */
    size_t polls;
    bool woken;
    bool poll_fails;
    size_t head_taken, body_taken; /* bytes of the last answer */

    /* Decides a request of these bytes, in the place of `steps`; called with the lock. */
    void (*decide)(const char *body, size_t size, struct curl_step *step);
};

extern struct curl_double curl_double;
extern const struct curl_library curl_double_library;

#define CURL_STEPS(steps) (steps), sizeof(steps) / sizeof(steps)[0]

/* Before a client is created. `decide` is NULL from then on. */
void curl_double_begin(const struct curl_step *steps, size_t count);

void curl_double_lock(void);

/* Wakes all that wait for a change. */
void curl_double_unlock(void);

/* Waits until a counter, which is one of curl_double, is at least `count`. */
void curl_double_wait_for(const size_t *counter, size_t count);

/* Answers that were to wait for others come now. */
void curl_double_release(void);

#endif
