/*
 * Fuzzes the control socket: the service, by the bytes of a client, and the code that reads the
 * service's answers.
 *
 * Fields of the envelope: 1 the client's bytes, in pieces; 2 whether the client then shuts down its
 * sending side; 3 an answer for the reader.
 *
 * The service must answer each request with a line of JSON. After a request `tap`, only records
 * follow. The ledger must not change, and only `reload` and `stop` may have an effect. Afterwards
 * the service must accept other clients.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/control/control_answer.h"
#include "collector/control/control_client.h"
#include "collector/control/control_service.h"
#include "collector/control/tap_view.h"
#include "collector/ledger/ledger_print.h"
#include "collector/text/utf8.h"
#include "sinks/encoders/encoders.h"
#include "tests/fuzz/collector_inside.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/readers/json.h"
#include "tests/fuzz/target.h"
#include "tests/support/text/json_tree.h"

enum { PART_SENT = 1, PART_ENDED = 2, PART_ANSWER = 3 };

/* Longer than any wait of the service, which waits for tens of milliseconds. */
#define STEP_NS INT64_C(100000000)

/* The most bytes of all pieces: enough for some requests that are too long, or many short ones. */
#define MOST_SENT 4096

/*
 * The most service steps after the last piece. One step answers a request, which has at least one
 * byte.
 */
#define MOST_STEPS (MOST_SENT + 100)

static size_t reloads, stops;

/* --- the program around it -------------------------------------------------------------------- */

static void write_report(void *context, const struct ledger_snapshot *snapshot, struct output *out)
{
    (void)context;
    ledger_write_text(snapshot, out);
}

static int reload(void *context, struct error *error)
{
    (void)context;
    error_set(error, EXIT_CODE_CONFIG, "a \"reason\"\n\x01\xff with \xc2\x9b");
    return reloads++ % 2 == 0 ? -1 : 0;
}

static void stop(void *context)
{
    (void)context;
    stops++;
}

static struct control_service *service_of(struct collector_inside *collector)
{
    static struct control_service *service; /* serves all inputs */
    const struct control_program program = {.write_report = write_report,
                                            .reload = reload,
                                            .stop = stop,
                                            .health = collector->health,
                                            .stall_timeout_ns = INT64_MAX / 4};
    struct error error;
    if (service == NULL)
        EXPECT(control_service_create(&service, collector->config.access.control,
                                      collector->pipeline, &program, &encoder_json, &error) == 0,
               "%s", error.text);
    return service;
}

static int connect_to(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s", strchr(address, ':') + 1);
    if (client < 0 || connect(client, (struct sockaddr *)&to, sizeof to) != 0)
        abort();
    return client;
}

/* --- expected answers ------------------------------------------------------------------------- */

/*
 * The number of complete requests before the first `tap`, and how many of them are `reload` and
 * `stop`.
 */
struct expected {
    size_t answers, reloads, stops;
    bool too_long; /* the connection ends after them, because a line is too long */
    bool taps;
};

static bool is_request(const char *line, size_t size, const char *name)
{
    size -= size != 0 && line[size - 1] == '\r';
    return size == strlen(name) && memcmp(line, name, size) == 0;
}

/* Returns true if the line requests a tap whose pattern is not too long. */
static bool is_tap(const char *line, size_t size)
{
    struct tap_watcher watcher;
    size -= size != 0 && line[size - 1] == '\r';
    return size >= 4 && memcmp(line, "tap ", 4) == 0 && size - 4 <= sizeof watcher.pattern;
}

static struct expected read_requests(const char *bytes, size_t size)
{
    struct expected expected = {0};
    while (size != 0 && !expected.taps) {
        const char *end = memchr(bytes, '\n', size);
        size_t length = end == NULL ? size : (size_t)(end - bytes);
        if (length >= CONTROL_REQUEST_SIZE) {
            expected.too_long = true;
            break;
        }
        if (end == NULL)
            break;
        expected.reloads += is_request(bytes, length, "reload");
        expected.stops += is_request(bytes, length, "stop");
        expected.taps = is_tap(bytes, length);
        expected.answers += !expected.taps;
        bytes += length + 1;
        size -= length + 1;
    }
    return expected;
}

struct answers {
    char *bytes;
    size_t size;
    bool over; /* the service has closed the connection */
};

static void take_answers(int client, struct answers *answers)
{
    char block[65536];
    ssize_t got;
    while ((got = read(client, block, sizeof block)) > 0) {
        answers->bytes = realloc(answers->bytes, answers->size + (size_t)got);
        if (answers->bytes == NULL)
            abort();
        memcpy(answers->bytes + answers->size, block, (size_t)got);
        answers->size += (size_t)got;
    }
    answers->over |= got == 0;
}

/*
 * Checks an answer. If it begins with one of these members, the reader of `sluice ctl` must accept
 * it, too.
 */
static void check_answer(const char *line, size_t size)
{
    char what[CONTROL_WHAT_SIZE];
    static char text[2 * CONTROL_ANSWER_SIZE];
    struct output out = {.data = text, .capacity = sizeof text};
    const char *wrong = json_wrong(line, size);
    EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)size, line);
    static const char *const names[] = {"{\"error\"", "{\"report\"", "{\"reload\"", "{\"refused\"",
                                        "{\"stop\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size > strlen(names[i]) && memcmp(line, names[i], strlen(names[i])) == 0)
            EXPECT(control_answer_read(line, size, what, &out), "it is not read: %.*s", (int)size,
                   line);
}

static void check_answers(const struct answers *answers, const struct expected *expected)
{
    size_t count = 0;
    for (size_t at = 0; at < answers->size; count++) {
        const char *end = memchr(answers->bytes + at, '\n', answers->size - at);
        EXPECT(end != NULL, "an answer without its end");
        check_answer(answers->bytes + at, (size_t)(end - answers->bytes) - at);
        at = (size_t)(end - answers->bytes) + 1;
    }
    EXPECT(count == expected->answers || (expected->taps && count > expected->answers),
           "%zu answers to %zu requests", count, expected->answers);
}

/* --- a client --------------------------------------------------------------------------------- */

static size_t send_pieces(const struct envelope *envelope, int client, char *all)
{
    const struct envelope_part *part;
    size_t size = 0;
    for (size_t i = 0; (part = envelope_bytes(envelope, PART_SENT, i)) != NULL; i++) {
        if (size + part->size > MOST_SENT)
            break;
        memcpy(all + size, part->bytes, part->size);
        size += part->size;
    }
    if (size != 0 && send(client, all, size, MSG_NOSIGNAL) != (ssize_t)size)
        abort();
    if (envelope_value(envelope, PART_ENDED, 0) != 0)
        shutdown(client, SHUT_WR);
    return size;
}

static void check_client(const struct envelope *envelope)
{
    /* Increases from input to input. No check depends on its value. */
    static int64_t now_ns = INT64_C(1000000000000);
    static char sent[MOST_SENT];
    struct collector_inside *collector = collector_inside();
    struct control_service *service = service_of(collector);
    struct answers answers = {0};
    char *before = collector_ledger(collector);
    size_t reloads_before = reloads, stops_before = stops;
    int client = connect_to(collector->config.access.control);
    struct expected expected = read_requests(sent, send_pieces(envelope, client, sent));
    bool ended = envelope_value(envelope, PART_ENDED, 0) != 0;
    size_t steps = 0;
    for (size_t idle = 0; idle < 3 && !answers.over; steps++) {
        size_t size = answers.size;
        EXPECT(steps < MOST_STEPS, "it goes on answering");
        control_service_serve(service, now_ns += STEP_NS);
        take_answers(client, &answers);
        idle = answers.size == size ? idle + 1 : 0;
    }
    check_answers(&answers, &expected);
    EXPECT(reloads - reloads_before == expected.reloads && stops - stops_before == expected.stops,
           "other orders than were given");
    EXPECT(answers.over == (ended || expected.too_long) || expected.taps, "its connection is %s",
           answers.over ? "over" : "there");
    char *after = collector_ledger(collector);
    EXPECT(strcmp(before, after) == 0, "the ledger has changed:\n%s\n%s", before, after);
    close(client);
    for (size_t i = 0; i < 3; i++)
        control_service_serve(service, now_ns += STEP_NS);
    free(before);
    free(after);
    free(answers.bytes);
}

/* --- the reader ------------------------------------------------------------------------------- */

/*
 * Checks the reader of answers. Its input is JSON, but may have control characters and bytes that
 * are not UTF-8. Its output must be suitable for a terminal.
 */
static void check_reader(const struct envelope_part *answer)
{
    char what[CONTROL_WHAT_SIZE];
    struct output text = {.data = malloc(3 * answer->size + 8), .capacity = 3 * answer->size + 8};
    if (text.data == NULL)
        abort();
    if (control_answer_read((const char *)answer->bytes, answer->size, what, &text)) {
        EXPECT(utf8_valid(text.data, text.used), "the text is no UTF-8");
        for (size_t i = 0; i < text.used; i++) {
            unsigned char c = (unsigned char)text.data[i];
            EXPECT((c >= ' ' || c == '\n') && c != 0x7f, "a control character");
            EXPECT(c != 0xc2 || (unsigned char)text.data[i + 1] >= 0xa0, "a control character");
        }
    }
    free(text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    envelope_read(&envelope, data, size);
    const struct envelope_part *answer = envelope_bytes(&envelope, PART_ANSWER, 0);
    if (answer != NULL)
        check_reader(answer);
    if (envelope_bytes(&envelope, PART_SENT, 0) != NULL)
        check_client(&envelope);
    envelope_free(&envelope);
    return 0;
}
