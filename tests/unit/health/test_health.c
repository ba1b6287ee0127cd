#include <stdio.h>
#include <string.h>

#include "collector/health/health.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)
#define START  (1000 * SECOND)

struct fixture {
    struct health *health;
    struct listener_totals listeners[2];
    struct sink_totals sinks[2];
    struct ledger_snapshot ledger;
    struct sink_level levels[2];
    struct pipeline_levels all;
    struct health_facts facts;
    char text[4096];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    fixture.health = health_create(10 * SECOND);
    assert_non_null(fixture.health);
    fixture.listeners[0].name = "udp://a";
    fixture.listeners[1].name = "udp://b";
    fixture.listeners[1].drops.filtered = true;
    fixture.listeners[1].index = 3; /* an index is not a position: two listeners were removed */
    fixture.sinks[1].index = 1;
    fixture.sinks[0].name = fixture.levels[0].name = "stdout:";
    fixture.sinks[1].name = fixture.levels[1].name = "file:\"x\"";
    fixture.ledger = (struct ledger_snapshot){.listener_count = 2,
                                              .sink_count = 2,
                                              .listeners = fixture.listeners,
                                              .sinks = fixture.sinks};
    fixture.all = (struct pipeline_levels){.sink_count = 2, .sinks = fixture.levels};
    fixture.facts = (struct health_facts){.ledger = &fixture.ledger,
                                          .levels = &fixture.all,
                                          .silent_since_ns = INT64_MAX,
                                          .now_ns = START};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    health_destroy(((struct fixture *)*state)->health);
    return 0;
}

static void assert_reported(struct fixture *fixture, enum health_status status, const char *text)
{
    struct output out = {.data = fixture->text, .capacity = sizeof fixture->text - 1};
    assert_int_equal(health_report(fixture->health, &fixture->facts, &out), status);
    assert_false(out.overflow);
    fixture->text[out.used] = '\0';
    assert_string_equal(fixture->text, text);
}

static void assert_ready(struct fixture *fixture)
{
    assert_reported(fixture, HEALTH_READY, "{\"status\":\"ready\"}\n");
}

static void pass(struct fixture *fixture, int64_t seconds)
{
    for (int64_t i = 0; i < seconds; i++) {
        if ((fixture->facts.now_ns - START) % HEALTH_EVERY_NS == 0)
            health_note(fixture->health, &fixture->ledger, fixture->facts.now_ns);
        fixture->facts.now_ns += SECOND;
    }
}

TEST_WITH(who_loses_nothing_is_ready, set_up, tear_down)
{
    struct fixture *fixture = *state;
    assert_ready(fixture);
    pass(fixture, 200);
    assert_ready(fixture);
}

TEST_WITH(a_sink_that_waits_for_ten_seconds_is_reported, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->levels[1].condition.waits_since_ns = START + 1;
    pass(fixture, 10);
    assert_ready(fixture);
    fixture->facts.now_ns += 500000001;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"sink_waits\","
                    "\"sink\":\"file:\\\"x\\\"\",\"seconds\":10.5}]}\n");
}

TEST_WITH(a_sink_that_fails_or_has_ended_is_reported_at_once, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->levels[0].condition.ended = true;
    fixture->levels[0].condition.fails_since_ns = START;
    fixture->levels[1].condition.fails_since_ns = START;
    fixture->levels[1].condition.waits_since_ns = START;
    strcpy(fixture->levels[1].reason, "No space left");
    fixture->facts.now_ns += SECOND / 4;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":["
                    "{\"reason\":\"sink_ended\",\"sink\":\"stdout:\"},"
                    "{\"reason\":\"sink_fails\",\"sink\":\"file:\\\"x\\\"\","
                    "\"error\":\"No space left\",\"seconds\":0.25}]}\n");
}

TEST_WITH(a_delivery_whose_oldest_record_waits_for_ten_seconds_is_behind, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->levels[0].condition.oldest_ns = START + 1;
    pass(fixture, 10);
    assert_ready(fixture);
    fixture->facts.now_ns += 500000001;
    const char *behind = "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"sink_behind\","
                         "\"sink\":\"stdout:\",\"seconds\":10.5}]}\n";
    assert_reported(fixture, HEALTH_DEGRADED, behind);
    fixture->levels[0].condition.spill_size = 1000;
    fixture->levels[0].condition.spill_bytes = 799;
    assert_reported(fixture, HEALTH_DEGRADED, behind);
    fixture->levels[0].condition.oldest_ns = 0;
    assert_ready(fixture);
    fixture->levels[0].condition.spill_bytes = 800;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"spill_fills\","
                    "\"sink\":\"stdout:\",\"limit\":1000,\"count\":800}]}\n");
}

TEST_WITH(what_a_spill_cannot_store_or_send_and_what_is_left_of_it_are_reasons, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct left_level left = {"kafka://b/t", 20000};
    fixture->levels[0].condition.spill_kept = 5;
    fixture->levels[0].condition.spill_full_ns = START;
    fixture->facts.now_ns += SECOND / 2;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":["
                    "{\"reason\":\"spill_full\",\"sink\":\"stdout:\",\"seconds\":0.5},"
                    "{\"reason\":\"spill_kept\",\"sink\":\"stdout:\",\"count\":5}]}\n");
    fixture->levels[0].condition = (struct sink_condition){0};
    fixture->all.left = &left;
    fixture->all.left_count = 1;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"spill_left\","
                    "\"sink\":\"kafka://b/t\",\"count\":20000}]}\n");
}

TEST_WITH(what_was_lost_is_reported_for_a_minute, set_up, tear_down)
{
    struct fixture *fixture = *state;
    pass(fixture, 300);
    fixture->listeners[0].kernel_drops = 7;
    const char *told = "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"kernel_drops\","
                       "\"listener\":\"udp://a\",\"count\":7}]}\n";
    assert_reported(fixture, HEALTH_DEGRADED, told);
    pass(fixture, 59);
    assert_reported(fixture, HEALTH_DEGRADED, told);
    pass(fixture, 6);
    assert_ready(fixture);
    fixture->listeners[0].kernel_drops += 2;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"kernel_drops\","
                    "\"listener\":\"udp://a\",\"count\":2}]}\n");
}

TEST_WITH(what_was_lost_before_the_first_note_is_recent, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->sinks[0].refused[REFUSED_RING_FULL] = 3;
    pass(fixture, 30);
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"records_refused\","
                    "\"sink\":\"stdout:\",\"count\":3}]}\n");
    pass(fixture, 60);
    assert_ready(fixture);
}

TEST_WITH(every_kind_of_loss_has_its_name, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->listeners[0].reasons[REASON_NO_BUFFER] = 1;
    fixture->sinks[0].evicted = 2;
    fixture->sinks[1].refused[REFUSED_RING_FULL] = 3;
    fixture->sinks[1].refused[REFUSED_LISTENER_SHARE] = 4;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":["
                    "{\"reason\":\"no_buffer\",\"listener\":\"udp://a\",\"count\":1},"
                    "{\"reason\":\"records_refused\",\"sink\":\"file:\\\"x\\\"\",\"count\":7},"
                    "{\"reason\":\"records_evicted\",\"sink\":\"stdout:\",\"count\":2}]}\n");
}

/*
 * The kernel's filter and the list of denied senders refuse datagrams on purpose, so these do not
 * count as losses. A sink that has ended is reported by another reason.
 */
TEST_WITH(what_is_as_it_was_asked_for_is_no_loss, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->listeners[1].kernel_drops = 1000;
    fixture->listeners[0].reasons[REASON_SOURCE_DENIED] = 500;
    fixture->listeners[0].reasons[REASON_RATE_LIMITED] = 500;
    fixture->listeners[0].reasons[REASON_CONTROL] = 500;
    fixture->listeners[0].reasons[REASON_SEGMENT_REPEATED] = 500;
    fixture->listeners[0].denied = fixture->listeners[0].over_address_limit = 500;
    fixture->sinks[0].refused[REFUSED_SINK_ENDED] = 9;
    fixture->sinks[0].filtered = 9;
    fixture->ledger.dead_letters.dropped[DROPPED_RATE] = 9;
    assert_ready(fixture);
}

static void assert_words(struct fixture *fixture, const char *words)
{
    char found[200] = "";
    struct output out = {.data = fixture->text, .capacity = sizeof fixture->text - 1};
    health_report(fixture->health, &fixture->facts, &out);
    fixture->text[out.used] = '\0';
    for (const char *at = fixture->text; (at = strstr(at, "\"reason\":\"")) != NULL;) {
        at += strlen("\"reason\":\"");
        size_t used = strlen(found);
        size_t length = strcspn(at, "\"");
        assert_true(used + length + 2 <= sizeof found);
        snprintf(found + used, sizeof found - used, "%s%.*s", used == 0 ? "" : " ", (int)length,
                 at);
    }
    assert_string_equal(found, words);
}

TEST_WITH(one_in_a_hundred_datagrams_that_cannot_be_decoded_is_reported, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct listener_totals *listener = &fixture->listeners[0];
    static const enum datagram_reason reasons[] = {REASON_TRUNCATED, REASON_NO_MATCH,
                                                   REASON_EMPTY,     REASON_TOO_DEEP,
                                                   REASON_TOO_LARGE, REASON_MALFORMED};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        fixture->ledger.dead_letters.offered += 5;
        listener->received = 501;
        listener->reasons[reasons[i]] = 5;
        assert_ready(fixture);
        listener->received = 500;
        assert_words(fixture, "undecodable");
        listener->received = 5;
        listener->reasons[reasons[i]] = 4; /* fewer than HEALTH_SHARE_LEAST */
        assert_ready(fixture);
        listener->reasons[reasons[i]] = 0;
    }
    /* Only datagrams of the last minute count for the share. */
    listener->received = 1000000;
    pass(fixture, 100);
    listener->received += 100;
    listener->reasons[REASON_MALFORMED] = 10;
    assert_words(fixture, "undecodable");
    pass(fixture, 66);
    assert_ready(fixture);
}

TEST_WITH(an_outage_that_is_over_stays_with_its_end, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->levels[0].past = (struct sink_past){
        .reason = "it refused", .since_ns = START - 20 * SECOND, .until_ns = START - 8 * SECOND};
    assert_reported(fixture, HEALTH_READY,
                    "{\"status\":\"ready\",\"past\":[{\"sink\":\"stdout:\",\"error\":"
                    "\"it refused\",\"ended_seconds_ago\":8,\"seconds\":12}]}\n");
    strcpy(fixture->levels[0].reason, "it is away"); /* a different outage, which has just begun */
    assert_ready(fixture);
}

TEST_WITH(a_share_at_its_bound_does_not_come_and_go, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct listener_totals *listener = &fixture->listeners[0];
    uint64_t *bad = &listener->reasons[REASON_MALFORMED];
    listener->received = 10000;
    pass(fixture, 100);
    const uint64_t received = listener->received;
    listener->received = received + 1000;
    *bad = 9; /* less than 1 in 100 */
    assert_ready(fixture);
    *bad = 10;
    assert_words(fixture, "undecodable");
    listener->received = received + 1001;
    assert_words(fixture, "undecodable");
    pass(fixture, 10); /* more notes with the same share change nothing */
    listener->received = received + 2000;
    assert_words(fixture, "undecodable");
    listener->received = received + 2001; /* less than 1 in 200 */
    assert_ready(fixture);
    listener->received = received + 2000;
    assert_ready(fixture);
    listener->received = received + 1000;
    assert_words(fixture, "undecodable");
}

TEST_WITH(a_few_that_are_reported_are_until_they_are_half_as_few, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct listener_totals *listener = &fixture->listeners[0];
    uint64_t *bad = &listener->reasons[REASON_MALFORMED];
    listener->received = 10;
    pass(fixture, 100);
    *bad = HEALTH_SHARE_LEAST - 1;
    assert_ready(fixture);
    *bad = HEALTH_SHARE_LEAST;
    assert_words(fixture, "undecodable");
    *bad = HEALTH_SHARE_LEAST / 2 + 1;
    assert_words(fixture, "undecodable");
    *bad = HEALTH_SHARE_LEAST / 2;
    assert_ready(fixture);
}

TEST_WITH(each_loss_of_a_listener_has_a_word, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct listener_totals *listener = &fixture->listeners[0];
    const struct {
        uint64_t *count;
        const char *word;
        uint64_t least;
    } losses[] = {
        {&listener->reasons[REASON_ASSEMBLY_FULL], "assembly_full", 1},
        {&listener->reasons[REASON_SEGMENTS_MISSING], "segments_missing", 1},
        {&listener->lost, "numbers_lost", 5},
        {&listener->over_limit, "connections_refused", 1},
        {&listener->accept_errors, "connections_refused", 1},
        {&listener->unwatched, "connections_refused", 1},
        {&listener->frame_cut, "connections_cut", 5},
        {&listener->frame_timeout, "connections_cut", 5},
        {&listener->bad_frame, "connections_cut", 5},
        {&listener->content_type, "connections_cut", 5},
        {&listener->tls_failed, "connections_cut", 5},
        {&listener->cut, "capture_cut", 1},
        {&listener->incomplete, "capture_cut", 1},
    };
    listener->received = listener->connections = 500;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        *losses[i].count = losses[i].least - 1;
        assert_ready(fixture);
        *losses[i].count = losses[i].least;
        assert_words(fixture, losses[i].word);
        *losses[i].count = 0;
    }
}

/* Each counter of records that a sink or the dead letters lose must have a word in the reason. */
TEST_WITH(each_loss_of_a_sink_and_of_dead_letters_has_a_word, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct sink_totals *sink = &fixture->sinks[0];
    const struct {
        uint64_t *count;
        const char *word;
    } losses[] = {
        {&sink->unknown, "records_unknown"},
        {&sink->points_rejected, "samples_left_out"},
        {&sink->left_out, "samples_left_out"},
        {&sink->raw_refused, "raw_refused"},
    };
    for (size_t i = 0; i < FAILURE_COUNT; i++) {
        sink->failed[i] = 1;
        assert_words(fixture, "records_failed");
        sink->failed[i] = 0;
    }
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        *losses[i].count = 1;
        assert_words(fixture, losses[i].word);
        *losses[i].count = 0;
    }
    fixture->ledger.dead_letters.name = "file:letters";
    fixture->ledger.dead_letters.dropped[DROPPED_IO_ERROR] = 2;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"letters_dropped\","
                    "\"dead_letters\":\"file:letters\",\"count\":2}]}\n");
    pass(fixture, 66);
    assert_ready(fixture);
}

TEST_WITH(a_receiver_that_does_not_answer_for_ten_seconds_is_stuck, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->facts.silent_since_ns = START;
    pass(fixture, 9);
    assert_ready(fixture);
    pass(fixture, 1);
    assert_reported(
        fixture, HEALTH_STUCK,
        "{\"status\":\"stuck\",\"reasons\":[{\"reason\":\"receiver_stuck\",\"seconds\":10}]}"
        "\n");
}

TEST_WITH(who_stops_says_nothing_but_that, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->facts.stopping = true;
    fixture->levels[0].condition.ended = true;
    assert_reported(fixture, HEALTH_STOPPING, "{\"status\":\"stopping\"}\n");
}

/* For a listener or a sink that is added later, all losses since it was added are reported. */
TEST_WITH(who_comes_later_is_reported_too, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->ledger.listener_count = 1;
    fixture->ledger.sink_count = 1;
    pass(fixture, 100);
    fixture->ledger.listener_count = 2;
    fixture->ledger.sink_count = 2;
    fixture->sinks[1].evicted = 4;
    assert_reported(fixture, HEALTH_DEGRADED,
                    "{\"status\":\"degraded\",\"reasons\":[{\"reason\":\"records_evicted\","
                    "\"sink\":\"file:\\\"x\\\"\",\"count\":4}]}\n");
}
