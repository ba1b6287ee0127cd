#include "tests/simulation/checks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/simulation/check_commands.h"
#include "tests/simulation/check_delivery.h"
#include "tests/simulation/check_offered.h"
#include "tests/simulation/check_sequences.h"
#include "tests/simulation/check_source.h"
#include "tests/simulation/check_tcp.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/message.h"
#include "tests/simulation/world.h"

/* --- the output ------------------------------------------------------------------------------- */

/*
 * For one sink: how often its output contains the line of each datagram, and whether the line must
 * survive the next start.
 */
static struct {
    unsigned sink;
    const char *file;
    /*
     * Incomplete lines to which a start may have added a newline, because it could not remove them.
     */
    unsigned ended_lines;
    /* Lines of the pipe that were cut. If only the newline is missing, it is written later. */
    unsigned cut_lines;
    /* Name of the file in which the datagram's line was found first. */
    char files[HISTORY_DATAGRAMS][24];
    uint8_t times[HISTORY_DATAGRAMS];
    bool stays[HISTORY_DATAGRAMS];
    bool has_rest; /* one file may end in a failed block that could not be removed */
} found;

static int64_t latest[HISTORY_FLOWS];

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
        world_fail("a line has number %u, which was never sent", number);
    const struct sent *sent = &history->sent[number];
    if (!history_may_have(found.sink, number))
        world_fail("sink %u has datagram %u, which %s", found.sink, number,
                   !sent->received  ? "the program was never handed"
                   : !sent->is_good ? "cannot be decoded"
                                    : "came when the sink was not there");
    check_source(number, line, size);
    if (++found.times[number] > 1)
        world_fail("sink %u has datagram %u in %s and again in %s", found.sink, number,
                   found.files[number], found.file);
    snprintf(found.files[number], sizeof found.files[number], "%s", found.file);
    if (latest[sent->flow] > number)
        world_fail("sink %u, %s: datagram %u of flow %u comes after %" PRId64, found.sink,
                   found.file, number, sent->flow, latest[sent->flow]);
    latest[sent->flow] = number;
    found.stays[number] = stays;
}

/*
 * Reads the lines of a file or a pipe. If `may_be_torn` is set, the last line may be incomplete. A
 * power cut loses the bytes after `synced`.
 */
static void take_lines(const uint8_t *bytes, size_t size, size_t synced, bool may_be_torn)
{
    size_t start = 0;
    for (size_t i = 0; i < HISTORY_FLOWS; i++)
        latest[i] = -1;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        take_line((const char *)bytes + start, i - start, i < synced);
        start = i + 1;
    }
    if (start != size && !may_be_torn)
        world_fail("%s: %zu bytes at the end are not a line", found.file, size - start);
}

/* Returns the number of bytes at the beginning of the file that survive a power cut. */
static size_t synced_size_of(const struct disk_node *node)
{
    bool is_same = node->synced_size <= node->size &&
                   memcmp(node->bytes, node->synced, node->synced_size) == 0;
    return is_same ? node->synced_size : 0;
}

/*
 * Returns true if the log says that an incomplete line at the end of this file could not be
 * removed.
 */
static bool is_left_as_it_is(const char *name)
{
    char stays[128], is_left[128], is_complete[200];
    snprintf(stays, sizeof stays, SCENARIO_FOLDER "/%s stays as it is", name);
    snprintf(is_left, sizeof is_left, SCENARIO_FOLDER "/%s is left as it is", name);
    snprintf(is_complete, sizeof is_complete,
             SCENARIO_FOLDER "/%s is complete, but cannot cut off a torn end: the disk is full, or "
                             "it fails; the next start",
             name);
    return strstr(history->log, stays) != NULL || strstr(history->log, is_left) != NULL ||
           strstr(history->log, is_complete) != NULL;
}

/* Counts how often the log says that the sink stopped in the middle of a line of this output. */
static unsigned count_cut_lines(const char *name)
{
    char said[128];
    unsigned count = 0;
    snprintf(said, sizeof said, "%s: the last line is cut: ", name);
    for (const char *at = strstr(history->log, said); at != NULL; at = strstr(at + 1, said))
        count++;
    return count;
}

/*
 * Returns true if the program has opened this file in this life. A reload can make a sink write to
 * another file.
 */
static bool was_opened(unsigned index, const char *name)
{
    char plain[16];
    snprintf(plain, sizeof plain, "%u.json", index);
    return strcmp(name, plain) == 0 ? history->plain[index] : history->rotated[index];
}

/*
 * Returns true if the file may end with an incomplete line. The next start that opens the file
 * repairs it. After a stop, an opened file may only end so in two cases: there was a power cut and
 * the sink does not use fsync=; or the log says that a failing disk prevented the repair.
 */
static bool may_be_torn(const struct scenario *scenario, unsigned index, const char *name)
{
    return history->end != LIFE_STOPPED || !was_opened(index, name) ||
           (history->had_power_cut && !scenario->sinks[index].syncs) ||
           (history->faults != 0 &&
            (strstr(history->log, "the last line is cut") != NULL || is_left_as_it_is(name)));
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
        /* a plain file is 0.json, a rotated one 0-TIME.json or 0-TIME.json.part */
        if (name[0] != prefix[0] || (name[1] != '.' && name[1] != '-'))
            continue;
        found.file = name;
        found.ended_lines = scenario->with_faults ? history->openings - 1 : 0;
        found.has_rest |= is_left_as_it_is(name);
        take_lines(node->bytes, node->size, cut ? synced_size_of(node) : node->size,
                   may_be_torn(scenario, index, name));
    }
}

/* Checks that no file still has its temporary name. Called after a stop without disk faults. */
static void check_names(void)
{
    size_t at = 0;
    struct disk_node *node;
    const char *name;
    while ((name = disk_next_name(SCENARIO_FOLDER, &at, &node)) != NULL)
        if (strstr(name, ".part") != NULL && history->rotated[name[0] - '0'])
            world_fail("%s is not complete", name);
}

static void look_for_lines(const struct scenario *scenario, unsigned index)
{
    memset(&found, 0, sizeof found);
    found.sink = index;
    found.file = "the pipe";
    if (scenario->sinks[index].kind == SINK_PIPE) {
        found.ended_lines = found.cut_lines = count_cut_lines("stdout");
        take_lines(history->pipe, history->pipe_size, history->pipe_size, true);
    } else {
        take_files(scenario, index);
    }
}

/* --- lines that stay in the files ------------------------------------------------------------- */

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

/* --- the ledger: listeners -------------------------------------------------------------------- */

struct handed {
    uint64_t good, bad;
};

static struct handed handed_to(unsigned listener)
{
    struct handed handed = {0, 0};
    for (uint32_t i = 0; i < history->sent_count; i++) {
        const struct sent *sent = &history->sent[i];
        if (sent->life != history->life || sent->listener != listener || !sent->received)
            continue;
        handed.good += sent->is_good;
        handed.bad += !sent->is_good;
    }
    return handed;
}

static uint64_t check_listener(json_t *listener, unsigned index, uint64_t *drops)
{
    struct handed handed = handed_to(index);
    const json_t *reasons = json_object_get(listener, "reasons");
    uint64_t received = ledger_number(listener, "received");
    uint64_t decoded = ledger_number(listener, "decoded");
    uint64_t malformed = ledger_number(reasons, "malformed");
    ledger_expect("received", received, decoded + ledger_sum(listener, "reasons"));
    ledger_expect("datagrams received", received, handed.good + handed.bad);
    ledger_expect("decoded, malformed, and without a buffer",
                  decoded + malformed + ledger_number(reasons, "no_buffer"), received);
    if (decoded > handed.good || malformed > handed.bad)
        world_fail("%" PRIu64 " decoded of %" PRIu64 ", %" PRIu64 " malformed of %" PRIu64, decoded,
                   handed.good, malformed, handed.bad);
    if (decoded == handed.good)
        check_sequences(listener, index);
    *drops +=
        ledger_number(listener, "kernel_drops") + ledger_number(listener, "refused_while_stopping");
    return decoded;
}

static uint64_t check_listeners(const struct scenario *scenario, json_t *ledger)
{
    uint64_t decoded = 0, drops = 0;
    for (unsigned i = 0; i < HISTORY_LISTENERS; i++) {
        json_t *listener = ledger_listener(ledger, scenario->listeners[i].name);
        struct handed handed = handed_to(i);
        if (listener != NULL)
            decoded += check_listener(listener, i, &drops);
        else if (handed.good + handed.bad != 0 ||
                 (scenario->listeners[i].is_there && history_is_settled()))
            world_fail("the ledger has no listener \"%s\"", scenario->listeners[i].name);
        if (listener != NULL && history_is_settled() &&
            json_is_true(json_object_get(listener, "retired")) == scenario->listeners[i].is_there)
            world_fail("%s is retired, or is not", scenario->listeners[i].name);
    }
    if (history->stopped_in_time)
        ledger_expect("left in sockets that were closed", history->left_behind, 0);
    ledger_expect("dropped by the kernel, or refused while stopping", drops, history->drops);
    return decoded;
}

/* --- the ledger: sinks ------------------------------------------------------------------------ */

static void check_lines(const json_t *sink, uint64_t written)
{
    ledger_expect("lines", ledger_number(sink, "lines"), written);
    ledger_expect("samples", ledger_number(sink, "samples"), written);
}

static void check_flow(json_t *sink, unsigned index, uint64_t decoded)
{
    uint64_t queued = ledger_number(sink, "queued");
    ledger_expect("queued and refused", queued + ledger_sum(sink, "refused"),
                  check_offered(sink, index, decoded));
    ledger_expect("written, filtered, evicted and failed",
                  ledger_number(sink, "written") + ledger_number(sink, "filtered") +
                      ledger_number(sink, "evicted") + ledger_sum(sink, "failed"),
                  queued);
    ledger_expect("in flight", ledger_number(sink, "in_flight"), 0);
}

static void check_relay(json_t *sink, unsigned index, uint64_t decoded)
{
    const json_t *failed = json_object_get(sink, "failed");
    check_flow(sink, index, decoded);
    ledger_expect("sent", ledger_number(sink, "written"), history->delivered[index].acknowledged);
    ledger_expect("not sent", ledger_number(failed, "send_error"),
                  history->delivered[index].rejected);
}

static void check_command(json_t *sink, unsigned index, uint64_t decoded)
{
    check_flow(sink, index, decoded);
    check_lines(sink, ledger_number(sink, "written"));
    check_commands(index, sink);
}

static void check_sink(json_t *sink, unsigned index, uint64_t decoded, bool gone)
{
    uint64_t written = ledger_number(sink, "written"), times = 0;
    check_flow(sink, index, decoded);
    check_lines(sink, written);
    for (uint32_t i = 0; i < history->sent_count; i++)
        times += history->sent[i].life == history->life && found.times[i] != 0;
    bool may_be_more = found.has_rest, may_be_less = gone;
    if ((times > written + found.cut_lines && !may_be_more) || (times < written && !may_be_less))
        world_fail("sink %u has %" PRIu64 " lines, its ledger says that %" PRIu64 " were written",
                   index, times, written);
}

/*
 * Returns true if the exit code may report a failure, because a far end may have refused a record
 * or not answered it.
 */
static bool failed_to_deliver(const struct scenario *scenario)
{
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (history_ever_had(i) &&
            (scenario->sinks[i].kind == SINK_RELAY ||
             (scenario->sinks[i].kind == SINK_COMMAND && !commands_are_well(i)) ||
             (scenario->sinks[i].kind == SINK_DELIVERY && !scenario->sinks[i].far_end.is_steady)))
            return true;
    return false;
}

static void check_code(const struct scenario *scenario)
{
    bool may_fail = history->faults != 0 || history->pipe_broken || failed_to_deliver(scenario);
    if (history->code == 0 || (may_fail && (history->code == 74 || history->code == 73)))
        return;
    world_fail("it ended with %d:\n%s", history->code, history->log);
}

/* `ledger` is NULL if the program was killed. */
static void check_one_sink(const struct scenario *scenario, unsigned index, json_t *ledger,
                           uint64_t decoded)
{
    const struct scenario_sink *sink = &scenario->sinks[index];
    json_t *its =
        ledger != NULL && history_ever_had(index) ? ledger_sink(ledger, sink->name) : NULL;
    if (ledger != NULL && history_ever_had(index) && its == NULL && history_is_settled())
        world_fail("the ledger has no sink \"%s\"", sink->name);
    if (its != NULL && history_is_settled() &&
        json_is_true(json_object_get(its, "retired")) == sink->is_there)
        world_fail("sink %u is retired, or is not", index);
    if (sink->kind == SINK_DELIVERY) {
        check_delivery(sink, index, its, decoded);
        return;
    }
    if (sink->kind == SINK_RELAY) {
        if (its != NULL)
            check_relay(its, index, decoded);
        return;
    }
    if (sink->kind == SINK_COMMAND) {
        if (its != NULL)
            check_command(its, index, decoded);
        return;
    }
    look_for_lines(scenario, index);
    check_that_it_stayed(scenario, index);
    if (its != NULL)
        check_sink(its, index, decoded, sink->kind == SINK_PIPE && history->pipe_broken);
}

void checks_after_life(const struct scenario *scenario)
{
    bool stopped = history->end == LIFE_STOPPED;
    json_t *ledger = NULL;
    uint64_t decoded = 0;
    if (stopped) {
        check_code(scenario);
        if (history->code == 73) /* the program did not start */
            return;
        ledger = ledger_final();
        if (!json_is_true(json_object_get(ledger, "balances")))
            world_fail("the ledger does not balance");
        decoded = check_listeners(scenario, ledger) + check_tcp(scenario, ledger);
        if (history->faults == 0 && history->stopped_in_time)
            check_names();
    }
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        check_one_sink(scenario, i, ledger, decoded);
    json_decref(ledger);
}

void checks_after_power_cut(const struct scenario *scenario)
{
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (scenario->sinks[i].kind == SINK_DELIVERY)
            check_delivery_after_power_cut(&scenario->sinks[i], i);
}
