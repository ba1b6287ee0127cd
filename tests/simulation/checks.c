#include "tests/simulation/checks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/simulation/disk.h"
#include "tests/simulation/message.h"
#include "tests/simulation/world.h"

/* --- what came out ---------------------------------------------------------------------------- */

/* Of one sink: how often each datagram's line was found, and whether it would stay. */
static struct {
    unsigned sink;
    const char *file;
    unsigned ended_lines; /* that may be torn: a start could not cut them off, and ended them */
    char files[HISTORY_DATAGRAMS][24]; /* where the first one was */
    uint8_t times[HISTORY_DATAGRAMS];
    bool stays[HISTORY_DATAGRAMS];
} found;

/* The last number of each sender within one file. */
static int64_t latest[HISTORY_SENDERS];

static void take_line(const char *line, size_t size, bool stays)
{
    uint32_t number;
    if (!message_number_of_line(line, size, &number)) {
        if (found.ended_lines-- == 0)
            world_fail("%s: a line is torn: %.*s", found.file, (int)(size < 400 ? size : 400),
                       line);
        return;
    }
    if (number >= history->sent_count)
        world_fail("a line has number %u, which nobody sent", number);
    const struct sent *sent = &history->sent[number];
    if (!sent->is_good || !sent->received)
        world_fail("sink %u has datagram %u, which %s", found.sink, number,
                   sent->received ? "cannot be decoded" : "the program was never handed");
    if (++found.times[number] > 1)
        world_fail("sink %u has datagram %u in %s and again in %s", found.sink, number,
                   found.files[number], found.file);
    snprintf(found.files[number], sizeof found.files[number], "%s", found.file);
    if (latest[sent->sender] > number)
        world_fail("sink %u, %s: datagram %u of sender %u comes after %" PRId64, found.sink,
                   found.file, number, sent->sender, latest[sent->sender]);
    latest[sent->sender] = number;
    found.stays[number] = stays;
}

/*
 * The lines of a file, or of a pipe. A torn last line is allowed where the program did not stop by
 * itself. Bytes after `synced` are lost with the power.
 */
static void take_lines(const uint8_t *bytes, size_t size, size_t synced, bool may_be_torn)
{
    size_t start = 0;
    for (size_t i = 0; i < HISTORY_SENDERS; i++)
        latest[i] = -1;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        take_line((const char *)bytes + start, i - start, i < synced);
        start = i + 1;
    }
    if (start != size && !may_be_torn)
        world_fail("%s: %zu bytes at the end are no line", found.file, size - start);
}

/* Bytes from the front that the power cut leaves. */
static size_t synced_size_of(const struct disk_node *node)
{
    bool is_same = node->synced_size <= node->size &&
                   memcmp(node->bytes, node->synced, node->synced_size) == 0;
    return is_same ? node->synced_size : 0;
}

/*
 * Whether a file may end within a line: a next start mends that. After a stop only what no fsync=
 * was asked for, and what a disk that fails did not let be cut off, as the log says.
 */
static bool may_be_torn(const struct scenario *scenario, unsigned index)
{
    return history->end != LIFE_STOPPED ||
           (history->had_power_cut && !scenario->sinks[index].syncs) ||
           (history->faults != 0 && strstr(history->log, "the last line is cut") != NULL);
}

static void take_files(const struct scenario *scenario, unsigned index)
{
    char prefix[16];
    size_t at = 0;
    struct disk_node *node;
    const char *name;
    bool cut = history->end == LIFE_POWER_CUT;
    snprintf(prefix, sizeof prefix, "%u.json", index);
    while ((name = disk_next_name(SCENARIO_FOLDER, &at, &node)) != NULL) {
        /* 0.json, or its rotated ones: 0-TIME.json and with .part */
        if (name[0] != prefix[0] || (name[1] != '.' && name[1] != '-'))
            continue;
        found.file = name;
        found.ended_lines = scenario->with_faults ? history->life - 1 : 0;
        take_lines(node->bytes, node->size, cut ? synced_size_of(node) : node->size,
                   may_be_torn(scenario, index));
    }
}

static void look_for_lines(const struct scenario *scenario, unsigned index)
{
    memset(&found, 0, sizeof found);
    found.sink = index;
    found.file = "the pipe";
    if (scenario->sinks[index].kind == SINK_PIPE)
        take_lines(history->pipe, history->pipe_size, history->pipe_size, true);
    else
        take_files(scenario, index);
}

/* --- what stays ------------------------------------------------------------------------------- */

static void check_that_it_stayed(const struct scenario *scenario, unsigned index)
{
    if (scenario->sinks[index].kind == SINK_PIPE)
        return;
    for (uint32_t i = 0; i < history->sent_count; i++) {
        if (history->stays[index][i] && found.times[i] == 0)
            world_fail("sink %u has lost datagram %u of life %u, which was written and stayed",
                       index, i, history->sent[i].life);
        history->stays[index][i] = found.stays[i];
    }
}

/* --- what the ledger says --------------------------------------------------------------------- */

static json_t *final_ledger(void)
{
    static const char key[] = "{\"final\":true,";
    const char *text = strstr(history->log, key);
    json_error_t error;
    json_t *ledger = text == NULL ? NULL : json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
    if (ledger == NULL)
        world_fail("it stopped without a ledger:\n%s", history->log);
    return ledger;
}

static uint64_t number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        world_fail("the ledger has no number \"%s\"", name);
    return (uint64_t)json_integer_value(value);
}

static uint64_t sum_of(json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    uint64_t sum = 0;
    json_object_foreach(json_object_get(object, name), key, value) sum +=
        (uint64_t)json_integer_value(value);
    return sum;
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is != should)
        world_fail("%s: %" PRIu64 ", not %" PRIu64, what, is, should);
}

struct handed {
    uint64_t good, bad;
};

static struct handed handed_in_this_life(void)
{
    struct handed handed = {0, 0};
    for (uint32_t i = 0; i < history->sent_count; i++) {
        const struct sent *sent = &history->sent[i];
        if (sent->life != history->life || !sent->received)
            continue;
        handed.good += sent->is_good;
        handed.bad += !sent->is_good;
    }
    return handed;
}

/* Returns records that were offered to each sink. */
static uint64_t check_listeners(json_t *ledger)
{
    struct handed handed = handed_in_this_life();
    uint64_t received = 0, decoded = 0, malformed = 0, no_buffer = 0, dropped = 0, refused = 0;
    size_t index;
    json_t *listener;
    json_array_foreach(json_object_get(ledger, "listeners"), index, listener)
    {
        const json_t *reasons = json_object_get(listener, "reasons");
        uint64_t its_received = number_of(listener, "received");
        expect("received", its_received,
               number_of(listener, "decoded") + sum_of(listener, "reasons"));
        received += its_received;
        decoded += number_of(listener, "decoded");
        malformed += number_of(reasons, "malformed");
        no_buffer += number_of(reasons, "no_buffer");
        dropped += number_of(listener, "kernel_drops");
        refused += number_of(listener, "refused_while_stopping");
    }
    expect("datagrams received", received, handed.good + handed.bad);
    expect("left in sockets that were closed", history->left_behind, 0);
    expect("dropped by the kernel, or refused while stopping", dropped + refused, history->drops);
    expect("decoded, malformed, and without a buffer", decoded + malformed + no_buffer, received);
    if (decoded > handed.good || malformed > handed.bad)
        world_fail("%" PRIu64 " decoded of %" PRIu64 ", %" PRIu64 " malformed of %" PRIu64, decoded,
                   handed.good, malformed, handed.bad);
    return decoded;
}

static void check_sink(json_t *sink, unsigned index, uint64_t decoded, bool gone)
{
    uint64_t queued = number_of(sink, "queued"), written = number_of(sink, "written");
    uint64_t failed = sum_of(sink, "failed"), times = 0;
    expect("offered", number_of(sink, "offered"), decoded);
    expect("queued and refused", queued + sum_of(sink, "refused"), decoded);
    expect("written, filtered, evicted and failed",
           written + number_of(sink, "filtered") + number_of(sink, "evicted") + failed, queued);
    expect("in flight", number_of(sink, "in_flight"), 0);
    for (uint32_t i = 0; i < history->sent_count; i++)
        times += history->sent[i].life == history->life && found.times[i] != 0;
    if (gone ? times > written : times != written)
        world_fail("sink %u has %" PRIu64 " lines, its ledger says that %" PRIu64 " were written",
                   index, times, written);
}

static json_t *sink_of(json_t *ledger, const char *name)
{
    size_t index;
    json_t *sink;
    json_array_foreach(json_object_get(ledger, "sinks"), index,
                       sink) if (strcmp(json_string_value(json_object_get(sink, "name")), name) ==
                                 0) return sink;
    world_fail("the ledger has no sink \"%s\"", name);
}

static void check_code(void)
{
    bool may_fail = history->faults != 0 || history->pipe_broken;
    if (history->code == 0 || (may_fail && (history->code == 74 || history->code == 73)))
        return;
    world_fail("it ended with %d:\n%s", history->code, history->log);
}

void checks_after_life(const struct scenario *scenario)
{
    bool stopped = history->end == LIFE_STOPPED;
    json_t *ledger = NULL;
    uint64_t decoded = 0;
    if (stopped) {
        check_code();
        if (history->code == 73) /* it never ran */
            return;
        ledger = final_ledger();
        if (!json_is_true(json_object_get(ledger, "balances")))
            world_fail("the ledger does not balance");
        decoded = check_listeners(ledger);
    }
    for (unsigned i = 0; i < scenario->sink_count; i++) {
        look_for_lines(scenario, i);
        check_that_it_stayed(scenario, i);
        if (stopped)
            check_sink(sink_of(ledger, scenario->sinks[i].name), i, decoded,
                       scenario->sinks[i].kind == SINK_PIPE && history->pipe_broken);
    }
    json_decref(ledger);
}
