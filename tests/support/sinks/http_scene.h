/*
 * A client of an http: sink that uses the libcurl of curl_double.h. There is one at a time. An
 * error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_HTTP_SCENE_H
#define SLUICE_TESTS_SUPPORT_SINKS_HTTP_SCENE_H

#include <stddef.h>

#include "collector/platform/wakeup.h"
#include "sinks/destinations/http_client.h"
#include "tests/support/sinks/curl_double.h"

struct http_scene {
    struct http_client *client;
    struct wakeup *wakeup; /* the client signals it */
};

extern struct http_scene http_scene;

/*
 * Creates the client. `steps` are those of curl_double_begin. `in_flight` is the maximum number of
 * requests at the same time.
 */
void http_scene_begin(const char *format, const struct curl_step *steps, size_t count,
                      size_t in_flight);

/* Destroys the client and asserts that it has removed all handles of libcurl. */
void http_scene_end(void);

/* Waits until a block has its answer. */
struct http_result http_scene_await(void);

#endif
