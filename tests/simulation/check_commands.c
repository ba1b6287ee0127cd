#include "tests/simulation/check_commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/message.h"
#include "tests/simulation/scenario.h"
#include "tests/simulation/signals.h"
#include "tests/simulation/world.h"

/* The pauses before restarts, from sluice.yaml(5), COMMANDS. */
#define FIRST_PAUSE   (100 * MILLISECONDS)
#define LONGEST_PAUSE (10 * SECONDS)
#define CALM          (10 * SECONDS)
#define LAST_MOMENTS  (200 * MILLISECONDS)

/*
 * The largest delay of any action of the program, including its reaction to a signal. The simulated
 * world may stop the program's threads for some time.
 */
#define LATE (2 * SECONDS)

/* The time limit for the collector's reaction to a signal while no thread is stopped. */
#define HANDLED (500 * MILLISECONDS)

#define ENDS_MOST    2000
#define RELOADS_MOST 64

/* The header line of a csv file. */
#define CSV                                                                                        \
    "time,name,kind,temporality,value,start_time,unit,labels,exemplars,received,source,listener\r"

/* Sums over all programs that a sink has started in this life of the collector. */
struct totals {
    uint64_t read, bytes, again, write_failures;
    uint64_t lost;     /* records given to programs that ended by themselves */
    unsigned own_ends; /* programs that stopped reading before the collector asked them to end */
    unsigned rows;
    int64_t unread_ns; /* time since which the programs of the last row have not read */
    unsigned refused;  /* starts that failed */
    unsigned replaced; /* programs at the end of a row, and failed starts */
    unsigned cuts;     /* programs that were killed after their time limit */
    size_t ends;
    struct command_reported reported[ENDS_MOST];
};

static struct totals totals[HISTORY_SINKS];
static const struct scenario *scenario;

static int64_t reloads[RELOADS_MOST];
static size_t reload_count;

unsigned commands_sink_of(const char *text)
{
    char name[sizeof COMMAND_TEXT + 10];
    for (unsigned i = 0; i < HISTORY_SINKS; i++) {
        snprintf(name, sizeof name, COMMAND_TEXT, i);
        if (strcmp(name, text) == 0)
            return i;
    }
    world_fail("there is no command \"%s\"", text);
}

void commands_begin(const struct scenario *of)
{
    scenario = of;
}

void commands_are_replaced(int64_t asked_ns)
{
    if (reload_count == RELOADS_MOST)
        world_fail("more than %d reloads", RELOADS_MOST);
    reloads[reload_count++] = asked_ns;
}

static struct totals *of(const struct command_reader *reader)
{
    return &totals[reader->row->sink];
}

/* Returns true if the collector was asked to stop, or to replace its commands, in this period. */
static bool was_asked_between(int64_t from_ns, int64_t to_ns)
{
    return signals_came(CONTROL_REOPEN, from_ns, to_ns) ||
           signals_came(CONTROL_STOP, from_ns, to_ns);
}

/* --- starts and ends of the program ----------------------------------------------------------- */

/*
 * Returns the largest error of a time that the collector measures: a stopped thread does not read
 * the clock.
 */
static int64_t stood(void)
{
    return 20 * MILLISECONDS + 3 * world_longest_stall_ns();
}

static bool lived_for_long(const struct command_row *row)
{
    return row->ended_ns - row->started_ns >= CALM - stood();
}

/*
 * Checks the pause before a start. The collector may start a program without the pause once for
 * each request to replace the programs, and once for the stop.
 */
static void check_pause(struct command_row *row)
{
    int64_t waited = world_now_ns() - row->ended_ns;
    int64_t least = row->pause_ns > FIRST_PAUSE ? row->pause_ns : FIRST_PAUSE;
    row->at_once += waited + stood() < least;
    const int64_t now = world_now_ns();
    if (row->at_once >
        signals_came(CONTROL_REOPEN, 0, now) + (signals_came(CONTROL_STOP, 0, now) != 0))
        world_fail("a program of sink %u is started %.3f s after the last one, and not %.3f s",
                   row->sink, (double)waited / 1e9, (double)least / 1e9);
    if (waited > LONGEST_PAUSE + LATE)
        world_fail("a program of sink %u is started after %.3f s", row->sink, (double)waited / 1e9);
}

void command_is_to_start(struct command_row *row, unsigned sink)
{
    row->sink = sink;
    if (row->is_last)
        world_fail("a program of sink %u had to end, and the next one was not requested", sink);
    if (row->ended_ns != 0)
        check_pause(row);
    row->tried_ns = world_now_ns();
}

static void note_pause(struct command_row *row)
{
    if (row->pause_ns == 0 || lived_for_long(row))
        row->pause_ns = FIRST_PAUSE;
    else if (row->pause_ns < LONGEST_PAUSE / 2)
        row->pause_ns *= 2;
}

void command_cannot_start(struct command_row *row)
{
    totals[row->sink].refused++;
    row->unread_ns = world_now_ns();
    note_pause(row);
    row->ended_ns = row->tried_ns;
}

void command_starts(struct command_row *row, struct command_reader *reader)
{
    reader->row = row;
    reader->started_ns = row->started_ns = world_now_ns();
    row->runs = true;
    totals[row->sink].again += row->starts++ != 0;
}

void command_row_ends(const struct command_row *row)
{
    if (row->runs)
        world_fail("a program of sink %u is left", row->sink);
    struct totals *sum = &totals[row->sink];
    sum->replaced += signals_came(CONTROL_REOPEN, row->started_ns - LATE, world_now_ns());
    sum->rows++;
    sum->unread_ns = row->unread_ns;
}

/*
 * Returns true if the collector may kill the program: a stop of the collector or a replacement of
 * the program was requested, and the time limit has passed since then.
 */
static bool is_time_over(const struct command_reader *reader)
{
    int64_t least = scenario->stall_timeout_ns < scenario->stop_timeout_ns
                        ? scenario->stall_timeout_ns
                        : scenario->stop_timeout_ns;
    return history->stopped_twice || signals_came(CONTROL_STOP, 0, world_now_ns() - least) != 0 ||
           signals_came(CONTROL_REOPEN, reader->started_ns - LATE, world_now_ns() - least) != 0;
}

/*
 * A refused reload immediately ends the programs that it has started. Returns true if that may have
 * happened to this program.
 */
static bool may_be_refused(const struct command_reader *reader)
{
    return !history_is_settled() &&
           signals_came(CONTROL_REOPEN, reader->started_ns, world_now_ns()) == 0;
}

void command_is_to_end(struct command_reader *reader, bool now)
{
    if (!is_time_over(reader) && !may_be_refused(reader))
        world_fail("a program of sink %u is %s before its time", reader->row->sink,
                   now ? "killed" : "ended");
    if (!reader->is_cut)
        of(reader)->cuts++;
    reader->is_cut = true;
}

static void check_that_it_was_replaced(const struct command_reader *reader)
{
    int64_t most = scenario->stall_timeout_ns > scenario->stop_timeout_ns
                       ? scenario->stall_timeout_ns
                       : scenario->stop_timeout_ns;
    for (size_t i = 0; i < reload_count; i++)
        if (reloads[i] > reader->started_ns &&
            world_now_ns() > reloads[i] + most + LAST_MOMENTS + LATE)
            world_fail("a program of sink %u was to be replaced long ago", reader->row->sink);
}

void command_ends(struct command_reader *reader, const struct command_end *end)
{
    struct totals *sum = of(reader);
    check_that_it_was_replaced(reader);
    if (sum->ends == ENDS_MOST)
        world_fail("more than %d programs have ended", ENDS_MOST);
    reader->reported = &sum->reported[sum->ends++];
    *reader->reported = (struct command_reported){.end = *end, .unread = reader->unread};
    reader->row->runs = false;
    reader->row->ended_ns = world_now_ns();
    if (!was_asked_between(reader->started_ns - LATE, world_now_ns()))
        note_pause(reader->row);
    else if (lived_for_long(reader->row))
        reader->row->pause_ns = 0;
}

/* --- the program's input ---------------------------------------------------------------------- */

void command_write_fails(const struct command_row *row)
{
    totals[row->sink].write_failures++;
}

void command_given(struct command_reader *reader, const char *bytes, size_t size)
{
    bool is_first = reader->given_bytes == 0;
    reader->has_head |= is_first && bytes[0] == CSV[0];
    if (is_first && !reader->has_head && bytes[0] != '{')
        world_fail("a program of sink %u is given the end of a record first", reader->row->sink);
    for (size_t i = 0; i < size; i++) {
        bool is_head = reader->has_head && reader->given_bytes + i == 0;
        reader->given += !reader->is_within && !is_head;
        reader->is_within = bytes[i] != '\n';
    }
    reader->given_bytes += size;
}

static bool number_of(const struct command_reader *reader, uint32_t *number)
{
    return reader->has_head ? message_number_of_row(reader->line, reader->line_size, number)
                            : message_number_of_line(reader->line, reader->line_size, number);
}

static void take_line(struct command_reader *reader)
{
    struct command_row *row = reader->row;
    uint32_t number;
    if (!number_of(reader, &number))
        world_fail("a program of sink %u reads a torn line: %.*s", row->sink,
                   (int)reader->line_size, reader->line);
    if (!history_may_have(row->sink, number))
        world_fail("a program of sink %u reads datagram %u, which it cannot have", row->sink,
                   number);
    if (history->delivered[row->sink].arrived[number]++ != 0)
        world_fail("programs of sink %u read datagram %u twice", row->sink, number);
    unsigned flow = history->sent[number].flow;
    if (row->latest[flow] > (int64_t)number + 1)
        world_fail("a program of sink %u reads datagram %u of flow %u after %" PRId64, row->sink,
                   number, flow, row->latest[flow] - 1);
    row->latest[flow] = (int64_t)number + 1;
    reader->read++;
    of(reader)->read++;
}

/* Reads a line of the program's input. If there is a csv header, only the first line may be one. */
static void take_any_line(struct command_reader *reader)
{
    if (!reader->has_head || reader->has_read_head) {
        take_line(reader);
        return;
    }
    reader->has_read_head = true;
    if (reader->line_size != sizeof CSV - 1 || memcmp(reader->line, CSV, sizeof CSV - 1) != 0)
        world_fail("a program of sink %u reads no head: %.*s", reader->row->sink,
                   (int)reader->line_size, reader->line);
}

void command_read(struct command_reader *reader, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n') {
            take_any_line(reader);
            reader->line_size = 0;
        } else if (reader->line_size == sizeof reader->line) {
            world_fail("a program of sink %u reads a line without an end", reader->row->sink);
        } else {
            reader->line[reader->line_size++] = bytes[i];
        }
    }
    of(reader)->bytes += size;
}

/*
 * If the program has stopped reading by itself, counts its unread records as lost, unless the time
 * limit was over.
 */
void command_input_closes(struct command_reader *reader, size_t unread, bool goes_on)
{
    reader->unread = unread;
    reader->row->unread_ns = world_now_ns();
    if (reader->reported != NULL)
        reader->reported->unread = unread;
    if (!goes_on) {
        of(reader)->lost += is_time_over(reader) ? 0 : reader->given - reader->read;
        of(reader)->own_ends += !reader->is_cut;
        return;
    }
    reader->row->is_last =
        signals_came(CONTROL_REOPEN, reader->started_ns - HANDLED - stood(), world_now_ns()) == 0;
    if (unread == 0 && !reader->is_within)
        return;
    if (!is_time_over(reader))
        world_fail("a program of sink %u is cut off with %zu bytes unread%s", reader->row->sink,
                   unread, reader->is_within ? ", within a record" : "");
    reader->is_cut = true;
    of(reader)->cuts++;
}

/* --- the ledger ------------------------------------------------------------------------------- */

/*
 * The end of a program according to the log. `knows_unread` is set if the log line says how much
 * data was unread.
 */
struct logged {
    struct command_reported said;
    bool knows_unread;
};

static struct logged read_logged(const char *how)
{
    struct logged logged = {.knows_unread = false};
    struct command_end *end = &logged.said.end;
    end->unknown = strncmp(how, "an unknown status", 17) == 0;
    end->killed = strncmp(how, "signal ", 7) == 0;
    if (!end->unknown)
        end->number = atoi(how + strcspn(how, "0123456789"));
    const char *rest = how + strcspn(how, ",;\n");
    logged.knows_unread = *rest == ',';
    logged.said.unread = logged.knows_unread ? strtoul(rest + 1, NULL, 10) : 0;
    return logged;
}

static bool is_that(const struct command_reported *reported, const struct logged *logged)
{
    const struct command_reported *said = &logged->said;
    return !reported->was_logged && reported->end.unknown == said->end.unknown &&
           (said->end.unknown || (reported->end.killed == said->end.killed &&
                                  reported->end.number == said->end.number)) &&
           (!logged->knows_unread || reported->unread == said->unread);
}

static void check_log(unsigned sink)
{
    struct totals *sum = &totals[sink];
    char said[64];
    size_t size = (size_t)snprintf(said, sizeof said,
                                   "command:" COMMAND_TEXT ": the command has ended with ", sink);
    for (const char *at = strstr(history->log, said); at != NULL; at = strstr(at + 1, said)) {
        struct logged logged = read_logged(at + size);
        size_t i = 0;
        while (i < sum->ends && !is_that(&sum->reported[i], &logged))
            i++;
        if (i == sum->ends)
            world_fail("no program of sink %u has ended so: %.80s", sink, at);
        sum->reported[i].was_logged = true;
    }
}

bool commands_are_well(unsigned sink)
{
    const struct totals *sum = &totals[sink];
    return sum->own_ends + sum->refused + sum->cuts + sum->replaced == 0 &&
           sum->write_failures == 0;
}

/*
 * Returns true if the time limit of the stop ended while no program had read the pipe for some
 * time. Returns false if a program was killed, and for a sink that a reload removed, because that
 * sink is stopped separately.
 */
static bool had_none_at_the_stop(unsigned sink)
{
    const struct totals *sum = &totals[sink];
    int64_t until = sum->unread_ns + LATE;
    return scenario->sinks[sink].is_there && sum->rows == 1 && sum->cuts == 0 &&
           !history->stopped_twice &&
           signals_came(CONTROL_STOP, 0, until - scenario->stop_timeout_ns) == 0;
}

static void check_failed(unsigned sink, json_t *ledger)
{
    const struct totals *sum = &totals[sink];
    const json_t *failed = json_object_get(ledger, "failed");
    uint64_t ended = ledger_number(failed, "command_ended");
    uint64_t late = ledger_number(failed, "stop_timeout");
    uint64_t broken = ledger_number(failed, "io_error");
    ledger_expect("failed for other reasons", ledger_sum(ledger, "failed"), ended + late + broken);
    if (ended < sum->lost)
        world_fail("sink %u lost %" PRIu64 " records with its programs, and counts %" PRIu64, sink,
                   sum->lost, ended);
    if (broken != 0 && sum->write_failures == 0)
        world_fail("sink %u counts failing writes, and there were none", sink);
    if (ended != 0 && history->code != 74)
        world_fail("records failed as command_ended, and it ended with %d", history->code);
    if (commands_are_well(sink))
        ledger_expect("lost by commands that read", ended, 0);
    if (had_none_at_the_stop(sink))
        ledger_expect("late for a command that was not there", late, 0);
    if (scenario->sinks[sink].child.is_steady && history->stopped_in_time && reload_count == 0)
        ledger_expect("late for a command that reads", late, 0);
}

void check_commands(unsigned sink, json_t *ledger)
{
    const struct totals *sum = &totals[sink];
    uint64_t written = ledger_number(ledger, "written");
    ledger_expect("read by commands", written, sum->read);
    ledger_expect("bytes read by commands", ledger_number(ledger, "bytes"), sum->bytes);
    ledger_expect("restarts", ledger_number(ledger, "restarts"), sum->again);
    ledger_expect("write errors", ledger_number(ledger, "write_errors"), sum->write_failures);
    check_failed(sink, ledger);
    check_log(sink);
}
