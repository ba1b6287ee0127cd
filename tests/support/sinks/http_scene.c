#include "tests/support/sinks/http_scene.h"

#include "collector/contract/encoder.h"
#include "tests/support/test.h"

struct http_scene http_scene;

static struct encoder_ops encoder;
static struct http_urls urls;
static struct http_body_maker *maker;

void http_scene_begin(const char *format, const struct curl_step *steps, size_t count,
                      size_t in_flight)
{
    struct error error;
    struct http_options none = {0};
    struct http_headers *headers;
    encoder = (struct encoder_ops){.name = format};
    curl_double_begin(steps, count);
    assert_int_equal(http_urls_make("http", "//127.0.0.1:1/w", NULL, false, &urls, &error), 0);
    assert_int_equal(
        http_headers_make(&curl_double_library, &encoder, NULL, &none, &headers, &error), 0);
    assert_int_equal(wakeup_create(&http_scene.wakeup, &error), 0);
    maker = http_body_maker_create(&encoder, NULL, 4096);
    const struct http_client_options options = {.library = &curl_double_library,
                                                .format = format,
                                                .urls = &urls,
                                                .maker = maker,
                                                .request = {.timeout_ms = 1000},
                                                .in_flight = in_flight,
                                                .wakeup = http_scene.wakeup};
    assert_int_equal(http_client_create(&options, headers, &http_scene.client, &error), 0);
}

void http_scene_end(void)
{
    http_client_destroy(http_scene.client);
    http_body_maker_destroy(maker);
    http_urls_free(&urls);
    wakeup_destroy(http_scene.wakeup);
    assert_null(curl_double.handles);
}

struct http_result http_scene_await(void)
{
    struct http_result result;
    while (!http_client_answer(http_scene.client, &result))
        wakeup_wait(http_scene.wakeup, NO_HANDLE, false, -1);
    return result;
}
