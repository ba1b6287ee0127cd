/* Tests that the page of metrics has each counter of the ledger once, in both formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_rows.h"
#include "tests/support/test.h"

#define LINE_SIZE 256
#define PAGE_SIZE ((size_t)256 * 1024)

struct fixture {
    struct ledger *ledger;
    struct ledger_snapshot *snapshot;
    struct listener_level listener;
    struct sink_level sink;
    struct stream_level stream;
    struct pipeline_levels levels;
    struct process_usage usage;
    struct metrics_facts facts;
    bool drops_uncounted; /* true for a system that does not count the kernel's drops */
    char *text;           /* the page after a newline, so that each line begins after one */
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->ledger = ledger_create();
    fixture->text = calloc(1, PAGE_SIZE);
    assert_non_null(fixture->ledger);
    assert_non_null(fixture->text);
    assert_int_equal(ledger_add_listener(fixture->ledger, "udp://a", "udp", "riemann"), 0);
    assert_int_equal(ledger_add_listener(fixture->ledger, "pcap:x", "capture", "otlp"), 1);
    assert_int_equal(ledger_add_sink(fixture->ledger, "stdout:"), 0);
    fixture->listener = (struct listener_level){"udp://a", 2, 4096, 1024, false};
    fixture->stream = (struct stream_level){"tcp://b", 3, 1000};
    fixture->sink = (struct sink_level){.name = "stdout:", .queue = {5, 64, 1, 4, 0.25}};
    fixture->levels = (struct pipeline_levels){.listener_count = 1,
                                               .sink_count = 1,
                                               .stream_count = 1,
                                               .listeners = &fixture->listener,
                                               .streams = &fixture->stream,
                                               .sinks = &fixture->sink,
                                               .pool = {100, 99, 10, 8}};
    fixture->facts = (struct metrics_facts){.version = "1.2.3", .levels = &fixture->levels};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ledger_snapshot_free(fixture->snapshot);
    ledger_destroy(fixture->ledger);
    free(fixture->text);
    free(fixture);
    return 0;
}

static void write_page(struct fixture *fixture, enum metrics_format format)
{
    struct output out = {.data = fixture->text + 1, .capacity = PAGE_SIZE - 2};
    ledger_snapshot_free(fixture->snapshot);
    fixture->snapshot = ledger_take_snapshot(fixture->ledger, false);
    for (size_t i = 0; i < fixture->snapshot->listener_count; i++)
        fixture->snapshot->listeners[i].drops_counted = !fixture->drops_uncounted;
    fixture->facts.ledger = fixture->snapshot;
    metrics_page_write(&fixture->facts, format, &out);
    assert_false(out.overflow);
    fixture->text[0] = '\n';
    fixture->text[1 + out.used] = '\0';
}

static size_t count_lines(const struct fixture *fixture, const char *line)
{
    char wanted[LINE_SIZE + 2];
    size_t found = 0;
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    for (const char *at = fixture->text; (at = strstr(at, wanted)) != NULL; at++)
        found++;
    return found;
}

static void assert_line(const struct fixture *fixture, const char *line)
{
    if (count_lines(fixture, line) != 1)
        fail_msg("%zu times on the page: %s\n%s", count_lines(fixture, line), line, fixture->text);
}

/* --- series ----------------------------------------------------------------------------------- */

TEST_WITH(the_series_of_a_sink_are_on_the_page_with_where_they_come_from, set_up, tear_down)
{
    struct fixture *fixture = *state;
    const struct address sender = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 0);
    const struct address quiet = address_from_ipv4((const uint8_t[]){192, 0, 2, 2}, 0);
    fixture->sink.limited = true;
    fixture->sink.series =
        (struct series_report){.series = 10,
                               .series_most = 12,
                               .growth = {.sender_count = 2,
                                          .senders = {{sender, 3, 5}, {quiet, 2, 0}},
                                          .label_count = 1,
                                          .labels = {{"i\"d", 900}},
                                          .late_count = 1,
                                          .late = {{sender, 0, 7}}}};
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_sink_series{sink=\"stdout:\"} 10");
    assert_line(fixture, "sluice_sink_series_limit{sink=\"stdout:\"} 12");
    assert_line(fixture,
                "sluice_sink_sender_series_refused{sink=\"stdout:\",sender=\"192.0.2.1\"} 5");
    assert_null(strstr(fixture->text, "192.0.2.2"));
    assert_line(fixture, "sluice_sink_label_values{sink=\"stdout:\",label=\"i\\\"d\"} 900");
    assert_line(fixture, "sluice_sink_sender_out_of_time{sink=\"stdout:\",sender=\"192.0.2.1\"} 7");
}

TEST_WITH(without_limits_there_are_no_metrics_of_series, set_up, tear_down)
{
    struct fixture *fixture = *state;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_null(strstr(fixture->text, "sluice_sink_series{"));
    assert_null(strstr(fixture->text, "sluice_sink_label_values"));
}

/* --- counters of the ledger ------------------------------------------------------------------- */

static void raise_terms(const struct ledger_term *terms, void *block)
{
    for (size_t i = 0; terms[i].name != NULL; i++)
        counter_add((struct counter *)(void *)((char *)block + terms[i].counter), 1000 + i);
}

static void assert_terms(const struct fixture *fixture, const struct ledger_term *terms,
                         const char *of, const char *labels)
{
    char line[LINE_SIZE];
    for (size_t i = 0; terms[i].name != NULL; i++) {
        snprintf(line, sizeof line, "sluice_%s_%s%s%s %zu", of, terms[i].name,
                 terms[i].part == PART_NOW ? "" : "_total", /* gauges have no suffix */
                 labels, 1000 + i);
        assert_line(fixture, line);
    }
}

TEST_WITH(every_term_of_the_ledger_is_on_the_page, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char line[LINE_SIZE];
    assert_true(ledger_add_dead_letters(fixture->ledger, "file:dead"));
    struct ingest_counters *capture = ledger_ingest_block(fixture->ledger, 1);
    struct dead_letter_counters *letters = ledger_dead_letter_block(fixture->ledger);
    raise_terms(listener_terms, capture);
    raise_terms(offer_terms, ledger_offer_block(fixture->ledger, 0));
    raise_terms(sink_terms, ledger_sink_block(fixture->ledger, 0));
    raise_terms(dead_letter_terms, letters);
    for (size_t i = 0; i < REASON_COUNT; i++)
        counter_add(&capture->reasons[i], 50 + i);
    for (size_t i = 0; i < DROP_COUNT; i++)
        counter_add(&letters->dropped[i], 80 + i);
    counter_set(&capture->kernel_drops, 0);
    write_page(fixture, METRICS_PROMETHEUS);
    for (const struct ledger_term *term = listener_terms; term->name != NULL; term++) {
        if (strcmp(term->name, "kernel_drops") == 0 || term->part == PART_CONNECTIONS ||
            term->part == PART_SESSIONS)
            continue; /* a counter of sockets, streams or DTLS listeners only */
        snprintf(line, sizeof line, "sluice_listener_%s%s{listener=\"pcap:x\"} %zu", term->name,
                 term->part == PART_NOW ? "" : "_total", /* gauges have no suffix */
                 (size_t)1000 + (size_t)(term - listener_terms));
        assert_line(fixture, line);
    }
    assert_terms(fixture, offer_terms, "sink", "{sink=\"stdout:\"}");
    assert_terms(fixture, sink_terms, "sink", "{sink=\"stdout:\"}");
    assert_terms(fixture, dead_letter_terms, "dead_letters", "");
    for (size_t i = 0; i < REASON_COUNT; i++) {
        snprintf(line, sizeof line,
                 "sluice_listener_refused_total{listener=\"pcap:x\",reason=\"%s\"} %zu",
                 datagram_reason_names[i], 50 + i);
        assert_line(fixture, line);
    }
    for (size_t i = 0; i < DROP_COUNT; i++) {
        snprintf(line, sizeof line, "sluice_dead_letters_dropped_total{reason=\"%s\"} %zu",
                 dead_letter_drop_names[i], 80 + i);
        assert_line(fixture, line);
    }
}

TEST_WITH(every_refusal_and_failure_of_a_sink_has_its_reason, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char line[LINE_SIZE];
    struct offer_counters *offers = ledger_offer_block(fixture->ledger, 0);
    struct sink_counters *sink = ledger_sink_block(fixture->ledger, 0);
    for (size_t i = 0; i < REFUSAL_COUNT; i++)
        counter_add(&offers->refused[i], 10 + i);
    for (size_t i = 0; i < FAILURE_COUNT; i++)
        counter_add(&sink->failed[i], 20 + i);
    sink->in_flight = 3;
    write_page(fixture, METRICS_PROMETHEUS);
    for (size_t i = 0; i < REFUSAL_COUNT; i++) {
        snprintf(line, sizeof line, "sluice_sink_refused_total{sink=\"stdout:\",reason=\"%s\"} %zu",
                 record_refusal_names[i], 10 + i);
        assert_line(fixture, line);
    }
    for (size_t i = 0; i < FAILURE_COUNT; i++) {
        snprintf(line, sizeof line, "sluice_sink_failed_total{sink=\"stdout:\",reason=\"%s\"} %zu",
                 record_failure_names[i], 20 + i);
        assert_line(fixture, line);
    }
    assert_line(fixture, "sluice_sink_in_flight_records{sink=\"stdout:\"} 3");
}

TEST_WITH(a_sockets_drops_are_reported_and_not_a_captures, set_up, tear_down)
{
    struct fixture *fixture = *state;
    counter_set(&ledger_ingest_block(fixture->ledger, 0)->kernel_drops, 5);
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_listener_kernel_drops_total{listener=\"udp://a\"} 5");
    assert_null(strstr(fixture->text, "kernel_drops_total{listener=\"pcap:x\"}"));
    assert_null(strstr(fixture->text, "sluice_listener_frames_total{listener=\"udp://a\"}"));
    assert_null(strstr(fixture->text, "kernel_drops_and_filtered"));
}

TEST_WITH(drops_that_the_system_does_not_count_are_not_reported, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->drops_uncounted = true;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_null(strstr(fixture->text, "kernel_drops_total"));
}

TEST_WITH(drops_that_are_not_all_losses_have_another_name, set_up, tear_down)
{
    struct fixture *fixture = *state;
    counter_set(&ledger_ingest_block(fixture->ledger, 0)->kernel_drops, 5);
    ledger_set_drops_kind(fixture->ledger, 0, (struct drops_kind){.filtered = true});
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_listener_kernel_drops_and_filtered_total{listener=\"udp://a\"} 5");
    assert_null(strstr(fixture->text, "sluice_listener_kernel_drops_total"));
}

TEST_WITH(two_of_one_name_are_reported_as_one, set_up, tear_down)
{
    struct fixture *fixture = *state;
    assert_int_equal(ledger_add_listener(fixture->ledger, "pcap:x", "capture", "otlp"), 2);
    assert_int_equal(ledger_add_sink(fixture->ledger, "stdout:"), 1);
    for (int i = 1; i < 3; i++) {
        struct ingest_counters *capture = ledger_ingest_block(fixture->ledger, i);
        counter_add(&capture->received, 10);
        counter_add(&capture->reasons[REASON_EMPTY], 2);
    }
    for (int i = 0; i < 2; i++) {
        counter_add(&ledger_offer_block(fixture->ledger, i)->offered, 20);
        counter_add(&ledger_sink_block(fixture->ledger, i)->written, 7);
    }
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_listener_received_total{listener=\"pcap:x\"} 20");
    assert_line(fixture, "sluice_listener_refused_total{listener=\"pcap:x\",reason=\"empty\"} 4");
    assert_line(fixture, "sluice_sink_offered_total{sink=\"stdout:\"} 40");
    assert_line(fixture, "sluice_sink_written_total{sink=\"stdout:\"} 14");
}

TEST_WITH(a_name_may_have_any_bytes, set_up, tear_down)
{
    struct fixture *fixture = *state;
    assert_int_equal(ledger_add_sink(fixture->ledger, "file:a\"b\\c\nd\xff"), 1);
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_sink_written_total{sink=\"file:a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 0");
}

/* --- histograms ------------------------------------------------------------------------------- */

TEST_WITH(a_histogram_counts_up_to_each_bound_in_base_units, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct sink_counters *sink = ledger_sink_block(fixture->ledger, 0);
    histogram_note(&sink->write_time, histogram_times, 20000);
    histogram_note(&sink->write_time, histogram_times, 1500000000);
    histogram_note(&sink->write_time, histogram_times, UINT64_C(60000000000));
    struct thread_measures *thread = ledger_thread_block(fixture->ledger);
    histogram_note(&thread->drain_length, histogram_counts, 0);
    histogram_note(&thread->drain_length, histogram_counts, 40);
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "# TYPE sluice_sink_write_seconds histogram");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"1e-05\"} 0");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"2.5e-05\"} 1");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"0.0001\"} 1");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"1.0\"} 1");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"2.5\"} 2");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"30.0\"} 2");
    assert_line(fixture, "sluice_sink_write_seconds_bucket{sink=\"stdout:\",le=\"+Inf\"} 3");
    assert_line(fixture, "sluice_sink_write_seconds_sum{sink=\"stdout:\"} 61.50002");
    assert_line(fixture, "sluice_sink_write_seconds_count{sink=\"stdout:\"} 3");
    assert_line(fixture, "sluice_receiver_drain_datagrams_bucket{receiver=\"0\",le=\"0.0\"} 1");
    assert_line(fixture, "sluice_receiver_drain_datagrams_bucket{receiver=\"0\",le=\"64.0\"} 2");
    assert_line(fixture, "sluice_receiver_drain_datagrams_sum{receiver=\"0\"} 40");
}

/* --- levels ----------------------------------------------------------------------------------- */

TEST_WITH(levels_stand_beside_their_limits, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->facts.now_ns = INT64_C(20000000000);
    fixture->sink.condition.waits_since_ns = INT64_C(7500000000);
    /* The sink's oldest record came before the clock's 0, which is the start of the system. */
    fixture->sink.condition.oldest_ns = -INT64_C(1500000000);
    fixture->sink.condition.spill_bytes = 123;
    fixture->sink.condition.spill_size = 4567;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_build_info{version=\"1.2.3\"} 1");
    assert_line(fixture, "sluice_listener_info{listener=\"udp://a\",kind=\"udp\","
                         "schema=\"riemann\",kernel_drops_unit=\"datagram\"} 1");
    assert_line(fixture, "sluice_listener_sockets{listener=\"udp://a\"} 2");
    assert_line(fixture, "sluice_listener_receive_buffer_bytes{listener=\"udp://a\"} 1024");
    assert_line(fixture, "sluice_listener_receive_buffer_asked_bytes{listener=\"udp://a\"} 4096");
    assert_line(fixture, "sluice_listener_open_connections{listener=\"tcp://b\"} 3");
    assert_line(fixture, "sluice_listener_open_connections_limit{listener=\"tcp://b\"} 1000");
    assert_line(fixture, "sluice_sink_queue_batches{sink=\"stdout:\"} 5");
    assert_line(fixture, "sluice_sink_queue_limit_batches{sink=\"stdout:\"} 64");
    assert_line(fixture, "sluice_sink_queue_large_batches{sink=\"stdout:\"} 1");
    assert_line(fixture, "sluice_sink_queue_large_limit_batches{sink=\"stdout:\"} 4");
    assert_line(fixture, "sluice_sink_queue_fill_ratio{sink=\"stdout:\"} 0.25");
    assert_line(fixture, "sluice_sink_waiting_seconds{sink=\"stdout:\"} 12.5");
    assert_line(fixture, "sluice_sink_failing_seconds{sink=\"stdout:\"} 0");
    assert_line(fixture, "sluice_sink_oldest_seconds{sink=\"stdout:\"} 21.5");
    assert_line(fixture, "sluice_sink_spill_bytes{sink=\"stdout:\"} 123");
    assert_line(fixture, "sluice_sink_spill_limit_bytes{sink=\"stdout:\"} 4567");
    assert_line(fixture, "sluice_sink_ended{sink=\"stdout:\"} 0");
    assert_line(fixture, "sluice_batches{size=\"small\"} 100");
    assert_line(fixture, "sluice_batches_free{size=\"large\"} 8");
    assert_null(strstr(fixture->text, "process_"));
}

TEST_WITH(a_delivery_has_the_figures_that_its_destination_gives_and_others_have_none, set_up,
          tear_down)
{
    struct fixture *fixture = *state;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_null(strstr(fixture->text, "sluice_sink_connects"));
    assert_null(strstr(fixture->text, "sluice_sink_answers"));
    assert_null(strstr(fixture->text, "sluice_sink_request_seconds"));
    fixture->sink.figures = (struct delivery_figure_totals){
        .has = DELIVERY_HAS(FIGURE_CONNECTS) | DELIVERY_HAS(FIGURE_ROUND_TRIP) |
               DELIVERY_HAS_ANSWERS | DELIVERY_HAS_TIMES,
        .values = {[FIGURE_CONNECTS] = 3, [FIGURE_ROUND_TRIP] = 1250000},
        .answers = {[ANSWER_4XX] = 5},
        .request_time = {.ranges = {[1] = 2}, .sum = 2500000000},
    };
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "# TYPE sluice_sink_connects_total counter");
    assert_line(fixture, "sluice_sink_connects_total{sink=\"stdout:\"} 3");
    assert_line(fixture, "# TYPE sluice_sink_round_trip_seconds gauge");
    assert_line(fixture, "sluice_sink_round_trip_seconds{sink=\"stdout:\"} 0.00125");
    assert_line(fixture, "sluice_sink_answers_total{sink=\"stdout:\",class=\"4xx\"} 5");
    assert_line(fixture, "sluice_sink_answers_total{sink=\"stdout:\",class=\"2xx\"} 0");
    assert_line(fixture, "sluice_sink_request_seconds_bucket{sink=\"stdout:\",le=\"2.5e-05\"} 2");
    assert_line(fixture, "sluice_sink_request_seconds_sum{sink=\"stdout:\"} 2.5");
    assert_null(strstr(fixture->text, "sluice_sink_requests_total"));
}

TEST_WITH(the_process_has_the_metrics_that_prometheus_names, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->usage = (struct process_usage){1.25, 1e9, 4096, 8192, USAGE_UNLIMITED, 12, 1024};
    fixture->facts.usage = &fixture->usage;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "process_cpu_seconds_total 1.25");
    assert_line(fixture, "process_start_time_seconds 1000000000");
    assert_line(fixture, "process_resident_memory_bytes 4096");
    assert_line(fixture, "process_virtual_memory_bytes 8192");
    assert_line(fixture, "process_open_fds 12");
    assert_line(fixture, "process_max_fds 1024");
    assert_null(strstr(fixture->text, "virtual_memory_max"));
}

TEST_WITH(every_row_is_on_the_page, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char line[LINE_SIZE];
    fixture->usage = (struct process_usage){1.25, 1e9, 4096, 8192, 1 << 20, 12, 1024};
    fixture->facts.usage = &fixture->usage;
    fixture->facts.sandbox = &(struct sandbox_state){SANDBOX_LEVEL_PARTIAL, "seccomp"};
    fixture->sink.figures.has = ~0U;
    fixture->sink.limited = true;
    assert_true(ledger_add_dead_letters(fixture->ledger, "file:dead"));
    ledger_set_drops_kind(fixture->ledger, 0, (struct drops_kind){.filtered = true});
    write_page(fixture, METRICS_PROMETHEUS);
    for (size_t i = 0; i < METRICS_ROW_COUNT; i++) {
        const struct metric *metric = &metrics_rows[i].metric;
        snprintf(line, sizeof line, "# HELP %s%s%s%s %s", metric->prefix, metric->of, metric->what,
                 metric_suffix(metric), metrics_rows[i].help);
        assert_line(fixture, line);
    }
}

TEST_WITH(the_sandbox_is_an_info_with_its_level_and_its_means, set_up, tear_down)
{
    struct fixture *fixture = *state;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_null(strstr(fixture->text, "sandbox"));
    fixture->facts.sandbox = &(struct sandbox_state){SANDBOX_LEVEL_PARTIAL, "seccomp"};
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "sluice_sandbox_info{level=\"partial\",means=\"seccomp\"} 1");
}

/* --- the two formats -------------------------------------------------------------------------- */

TEST_WITH(openmetrics_names_families_without_their_suffix_and_has_an_end, set_up, tear_down)
{
    struct fixture *fixture = *state;
    write_page(fixture, METRICS_PROMETHEUS);
    assert_line(fixture, "# TYPE sluice_sink_written_total counter");
    assert_line(fixture, "# TYPE sluice_build_info gauge");
    assert_null(strstr(fixture->text, "# EOF"));
    write_page(fixture, METRICS_OPENMETRICS);
    assert_line(fixture, "# TYPE sluice_sink_written counter");
    assert_line(fixture, "# HELP sluice_sink_written Records written, each to its last byte.");
    assert_line(fixture, "sluice_sink_written_total{sink=\"stdout:\"} 0");
    assert_line(fixture, "# TYPE sluice_build info");
    assert_line(fixture, "sluice_build_info{version=\"1.2.3\"} 1");
    const char *end = strstr(fixture->text, "\n# EOF\n");
    assert_non_null(end);
    assert_string_equal(end, "\n# EOF\n");
}

TEST_WITH(no_family_is_begun_twice, set_up, tear_down)
{
    struct fixture *fixture = *state;
    char line[LINE_SIZE];
    write_page(fixture, METRICS_PROMETHEUS);
    for (const char *at = fixture->text; (at = strstr(at, "\n# TYPE ")) != NULL; at++) {
        size_t size = strcspn(at + 1, "\n");
        assert_true(size < sizeof line);
        memcpy(line, at + 1, size);
        line[size] = '\0';
        assert_line(fixture, line);
    }
}
