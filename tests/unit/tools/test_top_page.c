#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tools/top/page.h"

#define TEXT_SIZE 65536

struct numbers {
    double uptime;
    unsigned received, bytes, malformed, kernel_drops, lost;
    bool filtered; /* the kernel also filters, which changes the name of its drops */
    unsigned written, in_flight, ring_full, filtered_out, io_error, evicted, unknown, spilled;
    const char *reasons; /* JSON of the health's reasons, or NULL for none */
    const char *levels;  /* JSON, or NULL for a collector that is too old to report levels */
};

static struct model_answer answer(const char *text)
{
    return (struct model_answer){text, strlen(text)};
}

static struct model model_of(const struct numbers *n, const char *senders)
{
    static char ledger[TEXT_SIZE], health[TEXT_SIZE];
    struct model model;
    struct error error;
    snprintf(ledger, sizeof ledger,
             "{\"final\":false,\"uptime_seconds\":%f,\"listeners\":[{\"name\":\"udp://h:1\","
             "\"kind\":\"udp\",\"received\":%u,\"bytes\":%u,\"decoded\":%u,\"reasons\":{"
             "\"no_buffer\":0,\"malformed\":%u},\"%s\":%u,\"lost\":%u,\"duplicated\":0}],"
             "\"sinks\":[{\"name\":\"stdout:\",\"written\":%u,\"bytes\":%u,\"refused\":{"
             "\"ring_full\":%u},\"failed\":{\"io_error\":%u},\"in_flight\":%u,"
             "\"filtered\":%u,\"evicted\":%u,\"unknown\":%u,"
             "\"spilled\":%u}]}\n",
             n->uptime, n->received, n->bytes, n->received - n->malformed, n->malformed,
             n->filtered ? "kernel_drops_and_filtered" : "kernel_drops", n->kernel_drops, n->lost,
             n->written, n->written * 10, n->ring_full, n->io_error, n->in_flight, n->filtered_out,
             n->evicted, n->unknown, n->spilled);
    snprintf(health, sizeof health, "{\"status\":\"degraded\",\"reasons\":[%s]}\n",
             n->reasons != NULL ? n->reasons : "");
    const char *levels = n->levels != NULL ? n->levels : "{\"error\":\"no such request\"}";
    const struct model_answers answers = {answer(ledger), answer(levels), answer(senders),
                                          answer(health)};
    if (model_read(&model, &answers, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static const char no_senders[] = "{\"listeners\":[],\"replaced\":0,\"losers\":[]}\n";

/* --- reading ---------------------------------------------------------------------------------- */

static const char ready[] = "{\"status\":\"ready\"}\n";

static void wrong(const char *ledger, const char *senders, const char *health, const char *expected)
{
    struct model model;
    struct error error;
    const struct model_answers answers = {answer(ledger), answer("{}"), answer(senders),
                                          answer(health)};
    assert_int_equal(model_read(&model, &answers, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
    if (strstr(error.text, expected) == NULL)
        fail_msg("%s", error.text);
}

TEST(what_is_no_ledger_is_refused_by_name)
{
    static const char nothing[] = "{\"listeners\":[],\"sinks\":[],\"uptime_seconds\":1}";
    wrong("", no_senders, ready, "not JSON");
    wrong("{}", "nonsense", ready, "not JSON");
    wrong("{}", no_senders, "{", "not JSON");
    wrong("{}", no_senders, ready, "lacks \"listeners\"");
    wrong(nothing, "{}", ready, "lacks \"losers\"");
    wrong(nothing, no_senders, "{\"error\":\"no such request\"}", "lacks \"status\"");
    wrong("{\"listeners\":[{\"name\":\"x\"}],\"sinks\":[],\"uptime_seconds\":1}", no_senders, ready,
          "lacks \"received\"");
    wrong("[1,2]", "[]", "[]", "lacks");
}

/* --- the page --------------------------------------------------------------------------------- */

struct drawn {
    struct model now, before;
    struct rates rates;
    struct page page;
};

/* The view with which draw_after draws, or NULL. */
static struct view *draw_view;

static void draw_after(struct drawn *drawn, const struct numbers *now, const struct numbers *before,
                       const char *senders, size_t rows, size_t columns)
{
    *drawn = (struct drawn){.now = model_of(now, senders)};
    if (before != NULL)
        drawn->before = model_of(before, no_senders);
    assert_true(rates_make(&drawn->rates, &drawn->now, before != NULL ? &drawn->before : NULL));
    assert_true(
        page_draw(&drawn->page, rows, columns, "title", &drawn->now, &drawn->rates, draw_view));
    assert_true(drawn->page.rows <= rows);
    for (size_t i = 0; i < drawn->page.rows; i++) {
        const char *text = drawn->page.lines[i].text;
        assert_true(strlen(text) <= columns);
        for (const char *at = text; *at != '\0'; at++)
            assert_in_range(*at, ' ', '~');
    }
}

static void clear(struct drawn *drawn)
{
    page_clear(&drawn->page);
    rates_clear(&drawn->rates);
    model_clear(&drawn->now);
    model_clear(&drawn->before);
}

/* Returns the first line that begins with `text`, or NULL. Several blanks in a row become one. */
static const char *line_of(const struct drawn *drawn, const char *text)
{
    static char line[512];
    for (size_t i = 0; i < drawn->page.rows; i++) {
        const char *from = drawn->page.lines[i].text;
        size_t used = 0;
        for (; *from != '\0'; from++)
            if (*from != ' ' || from[1] != ' ')
                line[used++] = *from;
        line[used] = '\0';
        if (strncmp(line, text, strlen(text)) == 0)
            return line;
    }
    return NULL;
}

static void assert_line(const struct drawn *drawn, const char *expected)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(expected, " "), expected);
    const char *line = line_of(drawn, name);
    if (line == NULL)
        fail_msg("no line begins with %s", name);
    assert_string_equal(line, expected);
}

static void assert_no_line(const struct drawn *drawn, const char *text)
{
    if (line_of(drawn, text) != NULL)
        fail_msg("there is: %s", line_of(drawn, text));
}

TEST(rates_are_what_two_looks_differ_by_each_second)
{
    const struct numbers before = {.uptime = 10, .received = 1000, .bytes = 50000, .written = 900};
    const struct numbers now = {.uptime = 12,
                                .received = 5000,
                                .bytes = 250000,
                                .malformed = 20,
                                .written = 4900,
                                .in_flight = 80};
    struct drawn drawn;
    draw_after(&drawn, &now, &before, no_senders, 24, 80);
    assert_line(&drawn, "title");
    assert_line(&drawn, "degraded, losing 10/s; received 2000/s, 100kB/s; written 2000/s; up 12s");
    assert_line(&drawn, "lost: malformed 10/s");
    assert_line(&drawn, "stdout: 2000 - 80 0 0 0 ok");
    assert_line(&drawn, "udp://h:1 2000 100k 5000 20 0 0");
    assert_line(&drawn, "DROPS DROPS/s TOTAL REASON");
    clear(&drawn);
}

TEST(deliveries_say_how_old_their_oldest_record_is_and_what_their_far_end_does)
{
    const struct numbers now = {
        .uptime = 10,
        .levels = "{\"sinks\":[{\"name\":\"stdout:\",\"oldest_seconds\":0,\"spill_bytes\":0,"
                  "\"figures\":{}},{\"name\":\"http://h:2/w\",\"oldest_seconds\":75.5,"
                  "\"spill_bytes\":123000,\"figures\":{\"connects\":2,\"requests_in_flight\":4,"
                  "\"request_retries\":7,\"request_errors\":1}},"
                  "{\"name\":\"nats://h:3/s\",\"oldest_seconds\":0,\"spill_bytes\":0,"
                  "\"figures\":{\"connects\":1,\"messages_in_flight\":3}}]}"};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 24, 80);
    assert_line(&drawn, "DELIVERIES OLDEST SPILL B CONNECTS INFLIGHT RETRIES ERRORS");
    assert_line(&drawn, "http://h:2/w 1m 15s 123k 2 4 7 1");
    assert_line(&drawn, "nats://h:3/s 0s 0 1 3 - -");
    clear(&drawn);
}

TEST(at_the_first_look_rates_are_those_since_the_start)
{
    const struct numbers now = {.uptime = 10, .received = 1000, .written = 500};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 24, 80);
    assert_line(&drawn, "degraded, losing 0/s; received 100/s, 0B/s; written 50/s; up 10s");
    assert_no_line(&drawn, "lost:");
    assert_no_line(&drawn, "DELIVERIES");
    assert_no_line(&drawn, "DROPS");
    assert_no_line(&drawn, "SENDERS");
    assert_no_line(&drawn, "MOST LOSS");
    clear(&drawn);
}

TEST(a_collector_that_was_started_anew_is_no_riddle)
{
    const struct numbers before = {.uptime = 1000, .received = 1000000};
    const struct numbers now = {.uptime = 2, .received = 10};
    struct drawn drawn;
    draw_after(&drawn, &now, &before, no_senders, 24, 80);
    assert_line(&drawn, "udp://h:1 5 0 10 0 0 0");
    clear(&drawn);
}

static void assert_state(const struct numbers *now, const char *expected, enum page_manner manner)
{
    const struct numbers before = {.uptime = 1};
    struct drawn drawn;
    draw_after(&drawn, now, &before, no_senders, 24, 80);
    const char *line = line_of(&drawn, "stdout:");
    assert_non_null(line);
    assert_string_equal(strrchr(line, ' ') + 1, expected);
    for (size_t i = 0; i < drawn.page.rows; i++)
        if (strncmp(drawn.page.lines[i].text, "stdout:", 7) == 0) {
            assert_int_equal(drawn.page.lines[i].manner, manner);
            break;
        }
    clear(&drawn);
}

#define WAITS   "{\"reason\":\"sink_waits\",\"sink\":\"stdout:\",\"seconds\":12.5}"
#define FAILS   "{\"reason\":\"sink_fails\",\"sink\":\"stdout:\",\"seconds\":1}"
#define REFUSES "{\"reason\":\"records_refused\",\"sink\":\"stdout:\",\"count\":7}"
#define EVICTS  "{\"reason\":\"records_evicted\",\"sink\":\"stdout:\",\"count\":7}"
#define ENDED   "{\"reason\":\"sink_ended\",\"sink\":\"stdout:\"}"

TEST(a_sinks_state_is_what_the_health_says)
{
    static const char other[] = "{\"reason\":\"sink_ended\",\"sink\":\"file:x\"},"
                                "{\"reason\":\"no_buffer\",\"listener\":\"udp://h:1\",\"count\":1}";
    assert_state(&(struct numbers){.uptime = 2}, "ok", PAGE_PLAIN);
    assert_state(&(struct numbers){.uptime = 2, .reasons = other}, "ok", PAGE_PLAIN);
    assert_state(&(struct numbers){.uptime = 2, .reasons = REFUSES}, "behind", PAGE_TROUBLE);
    assert_state(&(struct numbers){.uptime = 2, .reasons = EVICTS}, "behind", PAGE_TROUBLE);
    assert_state(&(struct numbers){.uptime = 2, .reasons = WAITS "," REFUSES}, "stalled",
                 PAGE_TROUBLE);
    assert_state(&(struct numbers){.uptime = 2, .reasons = FAILS "," REFUSES}, "failing",
                 PAGE_TROUBLE);
    assert_state(&(struct numbers){.uptime = 2, .reasons = ENDED "," EVICTS}, "ended",
                 PAGE_TROUBLE);
}

TEST(a_queues_fill_is_shown_as_the_collector_reports_it)
{
    static const struct {
        const char *fill, *shown;
    } fills[] = {{"0.708", "70%"}, {"0.996", "99%"}, {"1", "100%"}, {"0", "0%"}};
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        char levels[128], expected[64];
        snprintf(levels, sizeof levels, "{\"sinks\":[{\"name\":\"stdout:\",\"queue_fill\":%s}]}",
                 fills[i].fill);
        const struct numbers now = {.uptime = 10, .levels = levels};
        struct drawn drawn;
        draw_after(&drawn, &now, NULL, no_senders, 24, 80);
        snprintf(expected, sizeof expected, "stdout: 0 %s 0 0 0 0 ok", fills[i].shown);
        assert_line(&drawn, expected);
        clear(&drawn);
    }
}

TEST(a_spill_that_fills_is_shown_by_its_sizes)
{
    static const char fills[] = "{\"reason\":\"spill_fills\",\"sink\":\"stdout:\","
                                "\"limit\":4294967296,\"count\":3435973836}";
    const struct numbers now = {.uptime = 2, .reasons = fills};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 24, 80);
    assert_line(&drawn, "spill_fills stdout: (3.2 GiB of 4 GiB)");
    clear(&drawn);
}

static size_t lines_with(const struct drawn *drawn, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < drawn->page.rows; i++)
        count += strstr(drawn->page.lines[i].text, text) != NULL;
    return count;
}

/* Draws a page of this ledger. The answer about its health is "ready". */
static void draw_ledger(struct drawn *drawn, const char *ledger, size_t rows)
{
    struct error error;
    const struct model_answers answers = {answer(ledger), answer("{}"), answer(no_senders),
                                          answer(ready)};
    *drawn = (struct drawn){.now = {0}};
    if (model_read(&drawn->now, &answers, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(rates_make(&drawn->rates, &drawn->now, NULL));
    assert_true(page_draw(&drawn->page, rows, 80, "title", &drawn->now, &drawn->rates, NULL));
}

/* --- the head --------------------------------------------------------------------------------- */

TEST(the_most_important_reason_is_first_with_its_error_and_the_others_are_named)
{
    static const char error[] =
        "{\"reason\":\"kernel_drops\",\"listener\":\"udp://h:1\",\"count\":70}," REFUSES "," WAITS
        ",{\"reason\":\"sink_fails\",\"sink\":\"http://store.example/write\",\"seconds\":75.5,"
        "\"error\":\"Failed to connect to store.example port 443 after 1 ms: refused\"}";
    const struct numbers now = {.uptime = 10, .reasons = error};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 24, 80);
    assert_string_equal(drawn.page.lines[2].text,
                        "sink_fails http://store.example/write for 1m 15s: Failed to connect to");
    assert_string_equal(drawn.page.lines[3].text, "store.example port 443 after 1 ms: refused");
    assert_string_equal(drawn.page.lines[4].text,
                        "3 more: sink_waits records_refused kernel_drops");
    assert_int_equal(drawn.page.lines[2].manner, PAGE_TROUBLE);
    clear(&drawn);
    draw_after(&drawn, &now, NULL, no_senders, 40, 80);
    assert_line(&drawn, "sink_waits stdout: for 12s");
    assert_line(&drawn, "records_refused stdout: (7)");
    assert_line(&drawn, "kernel_drops udp://h:1 (70)");
    clear(&drawn);
    draw_after(&drawn, &now, NULL, no_senders, 8, 80);
    assert_string_equal(drawn.page.lines[2].text,
                        "sink_fails http://store.example/write for 1m 15s: Failed to connect to "
                        "store.exa");
    clear(&drawn);
}

TEST(losses_are_shown_by_reason_without_what_is_no_loss)
{
    static const char ledger[] =
        "{\"uptime_seconds\":10,\"listeners\":[{\"name\":\"a\",\"received\":0,\"bytes\":0,"
        "\"decoded\":0,\"reasons\":{\"malformed\":10,\"control\":500,\"segment_repeated\":90},"
        "\"kernel_drops_and_filtered\":700,\"lost\":0,\"duplicated\":0},{\"name\":\"b\","
        "\"received\":0,\"bytes\":0,\"decoded\":0,\"reasons\":{\"malformed\":20},"
        "\"kernel_drops\":200,\"lost\":0,\"duplicated\":0}],\"sinks\":[]}";
    struct drawn drawn;
    draw_ledger(&drawn, ledger, 40);
    assert_line(&drawn, "ready, losing 23/s; received 0/s, 0B/s; written 0/s; up 10s");
    assert_line(&drawn, "lost: kernel_drops 20/s, malformed 3/s");
    for (size_t i = 0; i < drawn.page.rows; i++)
        if (strstr(drawn.page.lines[i].text, "  control") != NULL)
            assert_int_equal(drawn.page.lines[i].manner, PAGE_PLAIN);
    assert_int_equal(lines_with(&drawn, "  control"), 1);
    clear(&drawn);
}

/* Draws a page of 20 listeners. Those from number `first` on have lost datagrams. */
static void draw_losing(struct drawn *drawn, int first)
{
    static char ledger[TEXT_SIZE];
    size_t used = (size_t)sprintf(ledger, "{\"uptime_seconds\":10,\"sinks\":[],\"listeners\":[");
    for (int i = 0; i < 20; i++)
        used += (size_t)sprintf(
            ledger + used,
            "%s{\"name\":\"udp://h:%d\",\"received\":0,\"bytes\":0,"
            "\"decoded\":0,\"reasons\":{},\"kernel_drops\":%d,\"lost\":0,\"duplicated\":0}",
            i == 0 ? "" : ",", i, i < first ? 0 : 10 * i);
    sprintf(ledger + used, "]}");
    draw_ledger(drawn, ledger, 24);
}

TEST(rows_that_lose_are_first_and_a_cut_says_how_many_of_them_it_hides)
{
    struct drawn drawn;
    draw_losing(&drawn, 18);
    assert_memory_equal(drawn.page.lines[5].text, "udp://h:19 ", 11);
    assert_memory_equal(drawn.page.lines[6].text, "udp://h:18 ", 11);
    assert_memory_equal(drawn.page.lines[7].text, "udp://h:0 ", 10);
    assert_int_equal(drawn.page.lines[6].manner, PAGE_TROUBLE);
    assert_int_equal(lines_with(&drawn, "of 20; no other is losing"), 1);
    assert_int_equal(lines_with(&drawn, "  kernel_drops"), 2);
    clear(&drawn);
    draw_losing(&drawn, 1);
    assert_int_equal(drawn.page.rows, 24);
    assert_int_equal(lines_with(&drawn, "others are losing"), 2);
    assert_string_equal(drawn.page.lines[23].text, "... rows 1 to 7 of 19; 12 others are losing");
    clear(&drawn);
}

TEST(counters_make_no_state)
{
    const struct numbers counts = {
        .uptime = 2, .in_flight = 2870, .ring_full = 48906, .io_error = 1, .evicted = 1};
    assert_state(&counts, "ok", PAGE_TROUBLE); /* PAGE_TROUBLE because it loses records */
}

TEST(what_was_filtered_has_a_column_where_the_name_keeps_its_least)
{
    const struct numbers now = {
        .uptime = 10, .written = 10, .ring_full = 3, .filtered_out = 4, .io_error = 5};
    for (size_t columns = 66; columns < 98; columns++) {
        struct drawn drawn;
        draw_after(&drawn, &now, NULL, no_senders, 24, columns);
        assert_line(&drawn, columns < 75 ? "SINKS RECS/s FILL QUEUED REFUSED FAILED STATE"
                                         : "SINKS RECS/s FILL QUEUED REFUSED FILTERED FAILED "
                                           "STATE");
        assert_line(&drawn, columns < 75 ? "stdout: 1 - 0 3 5 ok" : "stdout: 1 - 0 3 4 5 ok");
        clear(&drawn);
    }
}

TEST(what_lies_in_a_spill_stands_in_the_place_of_what_is_filtered)
{
    const struct numbers before = {.uptime = 1, .filtered_out = 5};
    const struct numbers now = {.uptime = 3, .filtered_out = 5, .spilled = 4321};
    struct drawn drawn;
    draw_after(&drawn, &now, &before, no_senders, 40, 80);
    assert_line(&drawn, "SINKS RECS/s FILL QUEUED REFUSED SPILLED FAILED STATE");
    assert_line(&drawn, "stdout: 0 - 0 0 4321 0 ok");
    clear(&drawn);
}

TEST(each_reason_of_a_drop_has_a_line_that_with_the_highest_rate_first)
{
    const struct numbers before = {.uptime = 1, .kernel_drops = 7};
    const struct numbers now = {.uptime = 3,
                                .received = 9,
                                .malformed = 8,
                                .kernel_drops = 7,
                                .ring_full = 100,
                                .evicted = 6,
                                .unknown = 4};
    struct drawn drawn;
    draw_after(&drawn, &now, &before, no_senders, 40, 80);
    const char *expected[] = {"stdout: 50 100 ring_full", "udp://h:1 4 8 malformed",
                              "stdout: 3 6 evicted", "stdout: 2 4 unknown",
                              "udp://h:1 0 7 kernel_drops"};
    size_t found = 0;
    for (size_t i = 0; i < drawn.page.rows; i++) {
        char name[16], reason[32];
        unsigned rate, total;
        char line[128];
        if (sscanf(drawn.page.lines[i].text, "%15s %u %u %31[a-z_]", name, &rate, &total, reason) !=
            4)
            continue;
        snprintf(line, sizeof line, "%s %u %u %s", name, rate, total, reason);
        assert_string_equal(line, expected[found++]);
    }
    assert_int_equal(found, 5);
    clear(&drawn);
}

TEST(what_the_kernel_also_filtered_has_its_name)
{
    const struct numbers before = {.uptime = 1, .kernel_drops = 1, .filtered = true};
    const struct numbers now = {.uptime = 2, .kernel_drops = 6, .filtered = true};
    struct drawn drawn;
    draw_after(&drawn, &now, &before, no_senders, 40, 80);
    assert_line(&drawn, "udp://h:1 0 0 0 0 6 0");
    size_t found = 0;
    for (size_t i = 0; i < drawn.page.rows; i++) {
        unsigned rate, total;
        char reason[64];
        if (sscanf(drawn.page.lines[i].text, "udp://h:1 %u %u %63[a-z_]", &rate, &total, reason) !=
            3)
            continue;
        assert_int_equal(rate, 5);
        assert_int_equal(total, 6);
        assert_string_equal(reason, "kernel_drops_and_filtered");
        found++;
    }
    assert_int_equal(found, 1);
    clear(&drawn);
}

static const char some_senders[] =
    "{\"listeners\":[{\"name\":\"udp://h:1\",\"senders\":["
    "{\"address\":\"192.0.2.1\",\"datagrams\":100,\"bytes\":9},"
    "{\"address\":\"192.0.2.2\",\"datagrams\":300,\"bytes\":9,\"numbered\":2,\"lost\":5,"
    "\"missing\":1,\"duplicated\":0}]},"
    "{\"name\":\"pcap:x\",\"senders\":[{\"address\":\"2001:db8::1\",\"datagrams\":200,"
    "\"bytes\":9}]}],"
    "\"replaced\":0,\"losers\":[{\"listener\":\"udp://h:1\",\"address\":\"192.0.2.2\","
    "\"sender\":\"web\\u001b[2J\\u20ac\",\"lost\":5,\"missing\":1,\"duplicated\":3}]}\n";

TEST(senders_stand_by_their_rate_with_their_loss)
{
    const struct numbers now = {.uptime = 10};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, some_senders, 40, 80);
    assert_line(&drawn, "192.0.2.2 30 0.9 300 6 h:1");
    assert_line(&drawn, "2001:db8::1 20 0.9 200 - pcap:x");
    assert_line(&drawn, "192.0.2.1 10 0.9 100 - h:1");
    size_t at[3] = {0};
    for (size_t i = 0; i < drawn.page.rows; i++) {
        const char *text = drawn.page.lines[i].text;
        at[0] = strncmp(text, "192.0.2.2", 9) == 0 ? i : at[0];
        at[1] = strncmp(text, "2001:db8::1", 11) == 0 ? i : at[1];
        at[2] = strncmp(text, "192.0.2.1", 9) == 0 ? i : at[2];
    }
    assert_true(at[0] < at[1] && at[1] < at[2]);
    clear(&drawn);
}

TEST(senders_and_labels_that_make_series_grow_have_a_table)
{
    static const char levels[] =
        "{\"sinks\":[{\"name\":\"file:x\",\"series\":{\"known\":10,\"limit\":10,\"senders\":["
        "{\"address\":\"192.0.2.7\",\"new\":3,\"refused\":812}],\"labels\":[{\"name\":\"id\","
        "\"values\":900}],\"out_of_time\":[{\"address\":\"192.0.2.9\",\"samples\":4}]}}]}";
    const struct numbers now = {.uptime = 10, .levels = levels};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 40, 80);
    assert_line(&drawn, "192.0.2.7 812 3 - - sender file:x");
    assert_line(&drawn, "id - - 900 - label file:x");
    assert_line(&drawn, "192.0.2.9 - - - 4 clock file:x");
    clear(&drawn);
}

/* draw_after asserts that each character on the page is printable. */
TEST(a_senders_name_cannot_steer_the_terminal)
{
    const struct numbers now = {.uptime = 10};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, some_senders, 40, 80);
    assert_line(&drawn, "web?[2J??? 6 3 192.0.2.2 h:1");
    clear(&drawn);
}

static char *many_senders(size_t count)
{
    char *text = malloc(count * 80 + 200);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{\"listeners\":[{\"name\":\"udp://h:1\",\"senders\":[");
    for (size_t i = 0; i < count; i++)
        used += (size_t)sprintf(text + used,
                                "%s{\"address\":\"10.0.0.%zu\",\"datagrams\":%zu,\"bytes\":1}",
                                i == 0 ? "" : ",", i, i);
    sprintf(text + used, "]}],\"replaced\":0,\"losers\":[]}\n");
    return text;
}

TEST(what_does_not_fit_is_cut_in_the_part_that_is_long_and_said)
{
    const struct numbers now = {.uptime = 10, .malformed = 1, .received = 1};
    char *senders = many_senders(60);
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, senders, 24, 80);
    assert_int_equal(drawn.page.rows, 24);
    assert_int_equal(lines_with(&drawn, "  malformed"), 1);
    assert_int_equal(lines_with(&drawn, "stdout:"), 1);
    size_t shown = lines_with(&drawn, "10.0.0.");
    char more[32];
    snprintf(more, sizeof more, "... rows 1 to %zu of 60", shown);
    assert_string_equal(drawn.page.lines[23].text, more);
    clear(&drawn);

    draw_after(&drawn, &now, NULL, senders, 200, 80);
    assert_int_equal(lines_with(&drawn, "10.0.0."), 60);
    assert_int_equal(lines_with(&drawn, "..."), 0);
    clear(&drawn);
    free(senders);
}

TEST(a_page_of_any_size_can_be_drawn)
{
    const struct numbers now = {.uptime = 10, .malformed = 1, .received = 1, .ring_full = 5};
    char *senders = many_senders(20);
    for (size_t rows = 1; rows < 40; rows++)
        for (size_t columns = 1; columns < 300; columns += columns < 90 ? 1 : 50) {
            struct drawn drawn;
            draw_after(&drawn, &now, NULL, senders, rows, columns);
            clear(&drawn);
        }
    free(senders);
}

TEST(a_wide_screen_has_more_columns)
{
    const struct numbers now = {.uptime = 10, .received = 20, .written = 10, .io_error = 5};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, some_senders, 40, 200);
    assert_line(&drawn, "LISTENERS DGRAMS/s BYTES/s DGRAMS BYTES DECODED REFUSED KERNEL LOST "
                        "TWICE");
    assert_line(&drawn, "udp://h:1 2 0 20 0 20 0 0 0 0");
    assert_line(&drawn, "SINKS RECS/s BYTES/s FILL QUEUED REFUSED SPILLED UNKNOWN FILTERED ERRORS "
                        "EVICTED WRITTEN FAILED STATE");
    assert_line(&drawn, "stdout: 1 10 - 0 0 0 0 0 0 0 10 5 ok");
    assert_line(&drawn, "192.0.2.2 30 0.9 300 9 6 0 h:1");
    clear(&drawn);
}

TEST(what_is_not_zero_has_a_column_before_what_is)
{
    const struct numbers now = {.uptime = 10, .unknown = 3, .evicted = 4};
    struct drawn drawn;
    draw_after(&drawn, &now, NULL, no_senders, 40, 80);
    assert_line(&drawn, "SINKS RECS/s FILL QUEUED REFUSED UNKNOWN FAILED STATE");
    clear(&drawn);
    draw_after(&drawn, &now, NULL, no_senders, 40, 98);
    assert_line(&drawn, "SINKS RECS/s FILL QUEUED REFUSED UNKNOWN EVICTED FAILED STATE");
    assert_line(&drawn, "stdout: 0 - 0 0 3 4 0 ok");
    clear(&drawn);
}

TEST(names_are_whole_before_columns_come)
{
    static const char sender[] =
        "{\"listeners\":[{\"name\":\"udp://h:1\",\"senders\":["
        "{\"address\":\"2001:db8:1111:2222:3333:4444:5555:6666\",\"datagrams\":100,\"bytes\":9}]}],"
        "\"replaced\":0,\"losers\":[]}\n";
    const struct numbers now = {.uptime = 10};
    struct drawn drawn;
    /* Of the 94 columns, the names have 40. */
    draw_after(&drawn, &now, NULL, sender, 40, 94);
    assert_line(&drawn, "SENDERS -DGRAMS/s BYTES/s DGRAMS LOST LISTENER");
    assert_line(&drawn, "2001:db8:1111:2222:3333:4444:5555:6666 10 0.9 100 - h:1");
    clear(&drawn);
}

/* --- the view --------------------------------------------------------------------------------- */

/* Draws the page with this view on a terminal of 24 rows. */
static void draw_seen(struct drawn *drawn, const char *senders, struct view *view)
{
    const struct numbers now = {.uptime = 10, .received = 1, .malformed = 1};
    draw_view = view;
    draw_after(drawn, &now, NULL, senders, 24, 80);
    draw_view = NULL;
}

/*
 * Draws the page and presses a key, for each of the keys. The view needs the drawing between two
 * keys.
 */
static void press(const char *senders, struct view *view, size_t count, const enum view_key *keys)
{
    for (size_t i = 0; i < count; i++) {
        struct drawn drawn;
        draw_seen(&drawn, senders, view);
        clear(&drawn);
        view_press(view, keys[i]);
    }
}

#define PRESS(senders, view, ...)                                                                  \
    press(senders, view, sizeof((enum view_key[]){__VA_ARGS__}) / sizeof(enum view_key),           \
          (enum view_key[]){__VA_ARGS__})

/*
 * Three presses of the key go from the listeners to the sinks, the drops and the senders. The page
 * has no part for connections here.
 */
#define TO_SENDERS VIEW_NEXT, VIEW_NEXT, VIEW_NEXT

static void assert_cut(const struct drawn *drawn, const char *expected)
{
    for (size_t i = 0; i < drawn->page.rows; i++)
        if (strcmp(drawn->page.lines[i].text, expected) == 0)
            return;
    fail_msg("no line is: %s", expected);
}

TEST(the_selected_part_has_a_heading_of_its_own_and_the_last_line_has_the_keys)
{
    char *senders = many_senders(60);
    struct view view = {.selected = 0};
    struct drawn drawn;
    PRESS(senders, &view, TO_SENDERS);
    draw_seen(&drawn, senders, &view);
    size_t selected = 0;
    for (size_t i = 0; i < drawn.page.rows; i++)
        if (drawn.page.lines[i].manner == PAGE_SELECTED) {
            assert_memory_equal(drawn.page.lines[i].text, "SENDERS", 7);
            selected++;
        }
    assert_int_equal(selected, 1);
    assert_int_equal(drawn.page.rows, 24);
    assert_non_null(strstr(drawn.page.lines[23].text, "? help"));
    clear(&drawn);
    free(senders);
}

TEST(rows_are_scrolled_to_the_last_and_no_further)
{
    char *senders = many_senders(60);
    struct view view = {.selected = 0};
    struct drawn drawn;
    PRESS(senders, &view, TO_SENDERS, VIEW_DOWN, VIEW_DOWN);
    draw_seen(&drawn, senders, &view);
    assert_cut(&drawn, "... rows 3 to 10 of 60");
    assert_null(line_of(&drawn, "10.0.0.59 "));
    assert_non_null(line_of(&drawn, "10.0.0.57 "));
    clear(&drawn);
    PRESS(senders, &view, VIEW_UP, VIEW_PAGE_DOWN);
    draw_seen(&drawn, senders, &view);
    assert_cut(&drawn, "... rows 10 to 17 of 60");
    clear(&drawn);
    PRESS(senders, &view, VIEW_END, VIEW_DOWN, VIEW_PAGE_DOWN);
    draw_seen(&drawn, senders, &view);
    assert_cut(&drawn, "... rows 53 to 60 of 60");
    assert_non_null(line_of(&drawn, "10.0.0.0 "));
    clear(&drawn);
    PRESS(senders, &view, VIEW_PAGE_UP, VIEW_UP);
    draw_seen(&drawn, senders, &view);
    assert_cut(&drawn, "... rows 44 to 51 of 60");
    clear(&drawn);
    PRESS(senders, &view, VIEW_HOME, VIEW_UP, VIEW_PAGE_UP);
    draw_seen(&drawn, senders, &view);
    assert_cut(&drawn, "... rows 1 to 8 of 60");
    clear(&drawn);
    /* The new page has fewer rows, so the view must move back. */
    PRESS(senders, &view, VIEW_END);
    draw_seen(&drawn, some_senders, &view);
    assert_non_null(line_of(&drawn, "192.0.2.2 "));
    clear(&drawn);
    free(senders);
}

static const char *first_sender(const struct drawn *drawn)
{
    static char name[64];
    for (size_t i = 0; i + 1 < drawn->page.rows; i++)
        if (strncmp(drawn->page.lines[i].text, "SENDERS", 7) == 0) {
            sscanf(drawn->page.lines[i + 1].text, "%63s", name);
            return name;
        }
    return "";
}

TEST(a_key_sorts_by_the_next_column_that_is_shown)
{
    static const struct {
        const char *heading, *first;
    } orders[] = {
        {"SENDERS -DGRAMS/s BYTES/s DGRAMS LOST LISTENER", "192.0.2.2"},
        {"SENDERS -DGRAMS/s BYTES/s DGRAMS LOST LISTENER", "192.0.2.2"},
        /* All bytes/s are equal, so the senders are ordered by name. */
        {"SENDERS DGRAMS/s -BYTES/s DGRAMS LOST LISTENER", "192.0.2.1"},
        {"SENDERS DGRAMS/s BYTES/s -DGRAMS LOST LISTENER", "192.0.2.2"},
        {"SENDERS DGRAMS/s BYTES/s DGRAMS -LOST LISTENER", "192.0.2.2"},
        {"SENDERS -DGRAMS/s BYTES/s DGRAMS LOST LISTENER", "192.0.2.2"},
    };
    struct view view = {.selected = 0};
    PRESS(some_senders, &view, TO_SENDERS);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct drawn drawn;
        draw_seen(&drawn, some_senders, &view);
        assert_line(&drawn, orders[i].heading);
        assert_string_equal(first_sender(&drawn), orders[i].first);
        clear(&drawn);
        view_press(&view, VIEW_SORT);
    }
    PRESS(some_senders, &view, VIEW_SORT, VIEW_SORT, VIEW_REVERSE);
    struct drawn drawn;
    draw_seen(&drawn, some_senders, &view);
    assert_line(&drawn, "SENDERS DGRAMS/s BYTES/s +DGRAMS LOST LISTENER");
    assert_string_equal(first_sender(&drawn), "192.0.2.1");
    clear(&drawn);
}

TEST(a_part_can_be_shown_alone)
{
    char *senders = many_senders(60);
    struct view view = {.selected = 0};
    struct drawn drawn;
    PRESS(senders, &view, TO_SENDERS, VIEW_ZOOM);
    draw_seen(&drawn, senders, &view);
    assert_no_line(&drawn, "LISTENERS");
    assert_cut(&drawn, "... rows 1 to 17 of 60");
    clear(&drawn);
    PRESS(senders, &view, VIEW_PREVIOUS);
    draw_seen(&drawn, senders, &view);
    assert_no_line(&drawn, "SENDERS");
    assert_non_null(line_of(&drawn, "DROPS"));
    clear(&drawn);
    PRESS(senders, &view, VIEW_LEAVE);
    draw_seen(&drawn, senders, &view);
    assert_non_null(line_of(&drawn, "LISTENERS"));
    assert_non_null(line_of(&drawn, "SENDERS"));
    clear(&drawn);
    free(senders);
}

TEST(a_selected_part_that_goes_leaves_another_selected)
{
    struct view view = {.selected = 0};
    struct drawn drawn;
    PRESS(some_senders, &view, VIEW_PREVIOUS, VIEW_ZOOM); /* the part of senders that lost most */
    draw_seen(&drawn, no_senders, &view);
    assert_non_null(line_of(&drawn, "LISTENERS"));
    assert_non_null(line_of(&drawn, "SINKS"));
    clear(&drawn);
}

TEST(the_help_names_each_key_and_any_key_leaves_it)
{
    struct view view = {.selected = 0};
    struct drawn drawn;
    PRESS(no_senders, &view, VIEW_HELP);
    draw_seen(&drawn, no_senders, &view);
    for (const char *const *key = (const char *const[]){"Tab, BackTab", "Up, Down", "s ", "r ",
                                                        "z, Enter", "?, h, q", "UNKNOWN", NULL};
         *key != NULL; key++)
        assert_non_null(line_of(&drawn, *key));
    assert_no_line(&drawn, "LISTENERS");
    clear(&drawn);
    view_press(&view, VIEW_SORT);
    draw_seen(&drawn, no_senders, &view);
    assert_line(&drawn, "LISTENERS DGRAMS/s BYTES/s DGRAMS REFUSED KERNEL LOST");
    clear(&drawn);
}

TEST(a_view_of_any_size_can_be_drawn_and_moved)
{
    const struct numbers now = {.uptime = 10, .malformed = 1, .received = 1, .ring_full = 5};
    char *senders = many_senders(20);
    struct view view = {.selected = 0};
    unsigned pressed = 0;
    draw_view = &view;
    for (size_t rows = 1; rows < 30; rows++)
        for (size_t columns = 1; columns < 600; columns += columns < 90 ? 3 : 100) {
            struct drawn drawn;
            draw_after(&drawn, &now, NULL, senders, rows, columns);
            clear(&drawn);
            view_press(&view, (enum view_key)(pressed++ * 7 % (VIEW_LEAVE + 1)));
        }
    draw_view = NULL;
    free(senders);
}

/* --- a page without a model ------------------------------------------------------------------- */

TEST(a_long_title_alone_takes_as_many_lines_as_it_needs)
{
    struct page page;
    assert_true(page_draw(&page, 3, 10, "no collector answers anywhere", NULL, NULL, NULL));
    assert_int_equal(page.rows, 3);
    assert_string_equal(page.lines[0].text, "no");
    assert_string_equal(page.lines[1].text, "collector");
    assert_string_equal(page.lines[2].text, "answers an");
    page_clear(&page);
}

TEST(without_a_model_there_is_the_title)
{
    struct page page;
    assert_true(page_draw(&page, 24, 80, "no collector", NULL, NULL, NULL));
    assert_int_equal(page.rows, 1);
    assert_string_equal(page.lines[0].text, "no collector");
    page_clear(&page);
}
