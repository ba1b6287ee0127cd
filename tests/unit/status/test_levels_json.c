#include <string.h>

#include "collector/status/levels_json.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

TEST(the_series_of_a_sink_with_limits_are_written_with_where_they_come_from)
{
    const struct address sender = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 0);
    struct sink_level sink = {.name = "file:x",
                              .limited = true,
                              .series = {.series = 10,
                                         .series_most = 12,
                                         .growth = {.sender_count = 1,
                                                    .senders = {{sender, 3, 5}},
                                                    .label_count = 2,
                                                    .labels = {{"id\"\n", 900}, {"host", 2}},
                                                    .late_count = 1,
                                                    .late = {{sender, 0, 7}}}}};
    const struct pipeline_levels levels = {.sink_count = 1, .sinks = &sink};
    char text[1024];
    struct output out = {.data = text, .capacity = sizeof text - 1};
    levels_json_write(&levels, 7 * SECOND, &out);
    assert_false(out.overflow);
    text[out.used] = '\0';
    assert_non_null(strstr(
        text, "\"queue_fill\":0,\"series\":{\"known\":10,\"limit\":12,\"senders\":[{\"address\":"
              "\"192.0.2.1\",\"new\":3,\"refused\":5}],\"labels\":[{\"name\":\"id\\\"\\n\","
              "\"values\":900},{\"name\":\"host\",\"values\":2}],\"out_of_time\":[{\"address\":"
              "\"192.0.2.1\",\"samples\":7}]}}]"));
}

TEST(levels_are_written_with_names_of_any_bytes)
{
    struct listener_level listener = {"udp://a", 2, 4096, 1024, true};
    struct stream_level stream = {"tcp://b", 3, 1000};
    struct sink_level sink = {
        .name = "file:</script>\"\\\n\x1b\xff",
        .condition = {.fails_since_ns = 5 * SECOND, .spill_bytes = 7, .spill_size = 9},
        .reason = "No space left on device",
        .past = {"Input/output error", 2 * SECOND, 4 * SECOND},
        .queue = {5, 64, 1, 4, 0.25},
        .figures = {
            .has = DELIVERY_HAS(FIGURE_CONNECTS) | DELIVERY_HAS(FIGURE_ROUND_TRIP) |
                   DELIVERY_HAS_ANSWERS,
            .values = {[FIGURE_CONNECTS] = 3, [FIGURE_REQUESTS] = 8, [FIGURE_ROUND_TRIP] = 1250000},
            .answers = {[ANSWER_5XX] = 2}}};
    const struct pipeline_levels levels = {.listener_count = 1,
                                           .stream_count = 1,
                                           .sink_count = 1,
                                           .listeners = &listener,
                                           .streams = &stream,
                                           .sinks = &sink,
                                           .pool = {100, 99, 10, 8}};
    char text[1024];
    struct output out = {.data = text, .capacity = sizeof text - 1};
    levels_json_write(&levels, 7 * SECOND, &out);
    assert_false(out.overflow);
    text[out.used] = '\0';
    assert_string_equal(
        text,
        "{\"listeners\":[{\"name\":\"udp://a\",\"sockets\":2,\"receive_buffer_asked\":4096,"
        "\"receive_buffer\":1024,\"group_lost\":true}],"
        "\"streams\":[{\"name\":\"tcp://b\",\"open\":3,\"open_limit\":1000}],"
        "\"sinks\":[{\"name\":\"file:</script>\\\"\\\\\\n\\u001b\xef\xbf\xbd\",\"ended\":false,"
        "\"waiting_seconds\":0,\"failing_seconds\":2,"
        "\"error\":\"No space left on device\",\"past_error\":\"Input/output error\","
        "\"past_error_seconds\":2,\"past_error_ended_seconds\":3,\"oldest_seconds\":0,\"spill_"
        "bytes\":7,"
        "\"spill_limit_bytes\":9,\"figures\":{\"connects\":3,\"round_trip_seconds\":0.00125},"
        "\"answers\":{\"2xx\":0,\"3xx\":0,\"4xx\":0,\"5xx\":2},\"queue_batches\":5,"
        "\"queue_limit_batches\":64,\"queue_large_batches\":1,\"queue_large_limit_batches\":4,"
        "\"queue_fill\":0.25}],"
        "\"batches\":{\"small\":100,\"small_free\":99,\"large\":10,\"large_free\":8}}");
}
