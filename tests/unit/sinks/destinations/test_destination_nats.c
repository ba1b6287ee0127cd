/* Tests the outcomes of a nats: sink's blocks with a nats-server that has JetStream. */
#include <stdio.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/nats_publisher.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/delivery_lines.h"
#include "tests/support/sinks/nats_server.h"
#include "tests/support/test.h"

static const struct encoder_ops text_encoder = {.name = "json"};

/* --- the server and the destination ----------------------------------------------------------- */

static struct nats_server server;

static int begin(void **state)
{
    server = (struct nats_server){.process = 0};
    return scratch_make(state);
}

static int end(void **state)
{
    nats_server_kill(&server);
    return scratch_remove(state);
}

struct scene {
    struct wakeup *wakeup;
    struct destination *destination;
    char path[200];
    struct sink_settings settings;
    struct destination_options options;
};

static void scene_begin(struct scene *scene)
{
    *scene = (struct scene){.wakeup = NULL};
    assert_int_equal(wakeup_create(&scene->wakeup, NULL), 0);
    snprintf(scene->path, sizeof scene->path, "//127.0.0.1:%u/t", server.port);
    scene->settings = (struct sink_settings){.delivery = {.timeout = UINT64_C(20000000000)},
                                             .encoder = &text_encoder};
    scene->options = (struct destination_options){
        .name = "nats:test",
        .path = scene->path,
        .settings = &scene->settings,
        .wakeup = scene->wakeup,
    };
}

static void open_it(struct scene *scene)
{
    struct error error = {.text = ""};
    if (destination_nats.create(&scene->options, &scene->destination, &error) != 0)
        fail_msg("%s", error.text);
}

static void scene_end(struct scene *scene)
{
    scene->destination->destroy(scene->destination);
    wakeup_destroy(scene->wakeup);
}

static void assert_message(uint64_t number, const char *text, const char *id)
{
    natsMsg *message = nats_server_message(&server, "S", number);
    assert_int_equal(natsMsg_GetDataLength(message), strlen(text));
    assert_memory_equal(natsMsg_GetData(message), text, strlen(text));
    const char *value;
    assert_int_equal(natsMsgHeader_Get(message, "Nats-Msg-Id", &value), NATS_OK);
    assert_string_equal(value, id);
    natsMsg_Destroy(message);
}

#define NATS_TEST(name) TEST_WITH(name, begin, end)

/* --- messages --------------------------------------------------------------------------------- */

NATS_TEST(a_block_is_a_message_with_an_id)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    lines.block.first_number = 7;
    delivery_lines_send(scene.destination, &lines);
    assert_ptr_equal(delivery_await(scene.destination, scene.wakeup, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(nats_server_count(&server, "S"), 1);
    assert_message(1, "line 0\nline 1\nline 2\n", "e-7");
    scene_end(&scene);
}

NATS_TEST(per_record_each_is_a_message_without_its_newline)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    scene.settings.broker.per = MESSAGE_RECORD;
    scene.settings.broker.headers = HEADER_SCHEMA | HEADER_COLLECTOR;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", DELIVERY_LINES);
    delivery_lines_send(scene.destination, &lines);
    assert_ptr_equal(delivery_await(scene.destination, scene.wakeup, &error), &lines.block);
    assert_true(lines.block.per_record);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(nats_server_count(&server, "S"), DELIVERY_LINES);
    assert_message(DELIVERY_LINES, "line 299", "e-299");
    natsMsg *message = nats_server_message(&server, "S", 1);
    const char *value;
    assert_int_equal(natsMsgHeader_Get(message, "schema", &value), NATS_OK);
    assert_string_equal(value, "telemetry");
    assert_int_equal(natsMsgHeader_Get(message, "collector", &value), NATS_OK);
    assert_int_not_equal(natsMsgHeader_Get(message, "listener", &value), NATS_OK);
    natsMsg_Destroy(message);
    scene_end(&scene);
}

NATS_TEST(what_is_sent_again_with_its_id_is_there_once)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    for (int i = 0; i < 2; i++) {
        delivery_lines_send(scene.destination, &lines);
        delivery_await(scene.destination, scene.wakeup, &error);
        delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    }
    assert_int_equal(nats_server_count(&server, "S"), 1);
    scene_end(&scene);
}

/* --- messages that the server refuses --------------------------------------------------------- */

NATS_TEST(a_subject_of_no_stream_is_not_sent)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    delivery_lines_send(scene.destination, &lines);
    assert_ptr_equal(delivery_await(scene.destination, scene.wakeup, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    assert_string_equal(error.text, "no stream takes this subject now");
    scene_end(&scene);
}

NATS_TEST(a_message_that_is_too_large_for_its_stream_is_refused)
{
    (void)state;
    struct scene scene;
    static uint8_t large[1000];
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 100);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    lines.block.bytes = large;
    lines.block.size = lines.records[0].size = sizeof large;
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_TOO_LARGE);
    scene_end(&scene);
}

NATS_TEST(parts_of_a_block_have_ids_of_their_own_and_are_there_once)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 90);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 10);
    for (int i = 0; i < 2; i++) {
        delivery_lines_send(scene.destination, &lines);
        delivery_await(scene.destination, scene.wakeup, &error);
        delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
        assert_int_equal(nats_server_count(&server, "S"), 2);
    }
    assert_message(1, "line 0\nline 1\nline 2\nline 3\nline 4\n", "e-0+5");
    assert_message(2, "line 5\nline 6\nline 7\nline 8\nline 9\n", "e-5+5");
    scene_end(&scene);
}

NATS_TEST(a_message_that_is_too_large_for_the_server_is_refused)
{
    (void)state;
    struct scene scene;
    static uint8_t large[1100000];
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    lines.block.bytes = large;
    lines.block.size = lines.records[0].size = sizeof large;
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_TOO_LARGE);
    scene_end(&scene);
}

NATS_TEST(a_subject_that_would_break_the_protocol_is_rejected)
{
    (void)state;
    static const char *const wrong[] = {"",    ".",   "a.",  ".a", "a..b", "a b", "a\r\nPUB x 1",
                                        "a.*", "a.>", "a\tb"};
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    scene_begin(&scene);
    open_it(&scene);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        delivery_lines_fill(&lines, wrong[i], 1);
        delivery_lines_send(scene.destination, &lines);
        delivery_await(scene.destination, scene.wakeup, &error);
        delivery_lines_assert(&lines, DELIVERY_REFUSED);
        assert_int_equal(lines.records[0].reason, DELIVERY_REJECTED);
    }
    scene_end(&scene);
}

/* --- servers that are stopped or do not answer ------------------------------------------------ */

NATS_TEST(a_server_that_starts_later_gets_what_was_handed_over_before)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    nats_server_kill(&server);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    delivery_lines_send(scene.destination, &lines);
    nats_server_start(&server);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

/*
 * Asserts how many connections are open and how many there were so far, and that no message is in
 * flight.
 */
static void assert_figures(const struct scene *scene, uint64_t connections, uint64_t connects)
{
    const struct delivery_figures *figures = scene->destination->figures;
    assert_int_equal(counter_read(&figures->values[FIGURE_CONNECTIONS]), connections);
    assert_int_equal(counter_read(&figures->values[FIGURE_CONNECTS]), connects);
    assert_int_equal(counter_read(&figures->values[FIGURE_MESSAGES]), 0);
}

NATS_TEST(after_a_server_was_killed_and_came_back_blocks_are_acknowledged_again)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    uint64_t number = 0;
    int64_t until = patience_until();
    for (int acknowledged = 0; acknowledged < 2;) {
        assert_true(patience(until));
        delivery_lines_fill(&lines, "t", 1);
        lines.block.first_number = number++;
        delivery_lines_send(scene.destination, &lines);
        delivery_await(scene.destination, scene.wakeup, &error);
        if (lines.records[0].outcome != DELIVERY_ACKNOWLEDGED)
            continue; /* it was in flight, or the stream was not created again yet */
        if (acknowledged++ == 0) {
            assert_figures(&scene, 1, 1);
            nats_server_kill(&server);
            nats_server_start(&server);
        }
    }
    assert_figures(&scene, 1, 2);
    scene_end(&scene);
}

NATS_TEST(a_message_that_waits_for_its_answer_is_counted)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    struct error error;
    delivery_await(scene.destination, scene.wakeup, &error);
    assert_figures(&scene, 1, 1);
    struct histogram_totals times = {0};
    histogram_add_to(&scene.destination->figures->request_time, &times);
    assert_true(times.sum > 0);
    nats_server_freeze(&server);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    const struct counter *messages = &scene.destination->figures->values[FIGURE_MESSAGES];
    for (int64_t until = patience_until(); counter_read(messages) == 0;) {
        assert_true(patience(until));
        wakeup_wait(scene.wakeup, NO_HANDLE, false, 10);
    }
    assert_int_equal(counter_read(messages), 1);
    scene.destination->delivery->abandon(scene.destination);
    assert_int_equal(counter_read(messages), 0);
    scene_end(&scene);
}

static unsigned refusals; /* number of next calls that are refused */

static natsStatus refuse_callback(natsSubscription *subscription, natsOnCompleteCB callback,
                                  void *closure)
{
    struct error error;
    if (refusals != 0) {
        refusals--;
        return NATS_NO_MEMORY;
    }
    return nats_library(&error)->natsSubscription_SetOnCompleteCB(subscription, callback, closure);
}

/*
 * The callback for the end of the subscription cannot be set, so the library never reports this
 * end.
 */
NATS_TEST(a_connection_that_is_set_up_in_part_is_ended_and_another_one_made)
{
    static const struct broker_kind kind = {"nats", "subject", "SUBJECT", 4222};
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    struct nats_publisher *publisher;
    struct broker_place place;
    const struct broker_options broker = {0};
    const struct client_tls tls = {0};
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    struct nats_library library = *nats_library(&error);
    library.natsSubscription_SetOnCompleteCB = refuse_callback;
    refusals = 1;
    assert_int_equal(broker_place_read(scene.path, &kind, &place, &error), 0);
    const struct nats_publisher_options options = {.library = &library,
                                                   .name = "nats:test",
                                                   .place = &place,
                                                   .broker = &broker,
                                                   .tls = &tls,
                                                   .per_block = true,
                                                   .timeout_ns = scene.settings.delivery.timeout,
                                                   .sink = scene.wakeup};
    assert_int_equal(nats_publisher_create(&options, &publisher, &error), 0);
    delivery_lines_fill(&lines, "t", 1);
    assert_true(nats_publisher_put(publisher, &lines.block));
    for (int64_t until = patience_until(); nats_publisher_take(publisher, &error) == NULL;) {
        assert_true(patience(until));
        wakeup_wait(scene.wakeup, NO_HANDLE, false, 100);
    }
    assert_int_equal(refusals, 0);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    nats_publisher_destroy(publisher);
    wakeup_destroy(scene.wakeup);
}

NATS_TEST(what_a_silent_server_got_is_unknown_when_it_is_abandoned)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    int64_t retry_after;
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1); /* makes the library connect */
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    nats_server_freeze(&server);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    /* The test cannot see when the message is published, but 300 ms suffice. */
    int64_t until = clock_monotonic_ns() + 300000000;
    while (clock_monotonic_ns() < until)
        wakeup_wait(scene.wakeup, NO_HANDLE, false, 50);
    scene.destination->delivery->abandon(scene.destination);
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    nats_server_thaw(&server);
    scene_end(&scene);
}

NATS_TEST(without_a_server_a_block_is_not_sent_when_its_time_is_over)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene);
    scene.options.path = "//127.0.0.1:1/t";
    scene.settings.delivery.timeout = 200000000;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    assert_string_equal(error.text, "there is no connection");
    scene_end(&scene);
}

/* --- permissions ------------------------------------------------------------------------------ */

NATS_TEST(a_password_comes_from_a_file)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    server.user = "me";
    server.password = "secret";
    nats_server_start(&server);
    nats_server_add_stream(&server, "S", "t", 0);
    scene_begin(&scene);
    scratch_put_text("login", "# ours\nuser=me\npassword=secret\n");
    scene.settings.broker.credentials = (char *)(uintptr_t)scratch_path("login");
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

NATS_TEST(with_a_wrong_password_a_block_is_not_sent)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    server.user = "me";
    server.password = "secret";
    nats_server_start(&server);
    scene_begin(&scene);
    scene.settings.delivery.timeout = 500000000;
    scratch_put_text("login", "user=me\npassword=wrong\n");
    scene.settings.broker.credentials = (char *)(uintptr_t)scratch_path("login");
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 1);
    delivery_lines_send(scene.destination, &lines);
    delivery_await(scene.destination, scene.wakeup, &error);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    scene_end(&scene);
}

static void assert_refused(const struct scene *scene, const char *text)
{
    struct error error = {.text = ""};
    assert_int_equal(destination_nats.check(&scene->options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, text));
    assert_null(strstr(error.text, "hidden"));
}

NATS_TEST(what_cannot_be_used_is_refused_before_and_no_secret_is_shown)
{
    (void)state;
    struct scene scene = {.settings = {.encoder = &text_encoder},
                          .options = {.path = "//127.0.0.1/t", .settings = &scene.settings}};
    struct error error;
    assert_int_equal(destination_nats.check(&scene.options, &error), 0);
    static const char *const wrong[][2] = {
        {"user=me\nhidden\n", "login:2: this line is not NAME=VALUE"},
        {"user=hidden\n",
         "must have either user= and password=, or token=, or nkey= and seed_file="},
        {"user=hidden\npassword=hidden\ntoken=hidden", "must have either"},
        {"", "must have either"},
        {"nkey=hidden\n", "must have either"},
        {"seed=hidden", "login:1: only user=, password=, token=, nkey= and seed_file= are allowed"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        scratch_put_text("login", wrong[i][0]);
        scene.settings.broker.credentials = (char *)(uintptr_t)scratch_path("login");
        assert_refused(&scene, wrong[i][1]);
    }
    scene.settings.broker.credentials = (char *)(uintptr_t)scratch_path("nowhere");
    assert_refused(&scene, "nowhere");
    scene.settings.broker.credentials = NULL;
    scene.settings.broker.tls = true;
    assert_refused(&scene, "tls=on needs server_ca=");
    scratch_put_text("ca", "nonsense");
    scene.settings.tls.ca = (char *)(uintptr_t)scratch_path("ca");
    assert_refused(&scene, "OpenSSL finds no certificates in");
}
