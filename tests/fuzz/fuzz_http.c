/*
 * Fuzzes the HTTP server of --metrics with the bytes of a client, over a socket.
 *
 * Fields of the envelope: 1 the client's bytes, in pieces; 2 whether the client then shuts down its
 * sending side.
 *
 * An answer must have a status. Only a request whose Host is an address or localhost may get a
 * page. The body must be valid JSON, Prometheus text format, OpenMetrics or events. The ledger must
 * not change, and the server must answer the next client.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/log/log.h"
#include "collector/metrics/metrics_server.h"
#include "collector/platform/clock.h"
#include "collector/program/registry.h"
#include "tests/fuzz/collector_inside.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/readers/json.h"
#include "tests/fuzz/readers/prometheus.h"
#include "tests/fuzz/target.h"

enum { PART_SENT = 1, PART_ENDED = 2 };

#define MOST_SENT   ((size_t)32 * 1024)
#define MOST_ANSWER ((size_t)2 * 1024 * 1024)

/* Longer than any wait of the server, which waits for at most a second. */
#define STEP_NS INT64_C(1100000000)

/* After this number of rounds without data, the answer is complete. */
#define IDLE_ROUNDS 3
#define MOST_ROUNDS 12 /* a stream of events does not end */

static int64_t now_ns; /* increases from input to input; no check depends on its value */

/* --- the server ------------------------------------------------------------------------------- */

static unsigned port;

static bool note_port(enum log_level level, const char *lines, size_t size)
{
    static const char before[] = "metrics at http://127.0.0.1:";
    const char *at = memmem(lines, size, before, sizeof before - 1);
    (void)level;
    if (at != NULL)
        port = (unsigned)strtoul(at + sizeof before - 1, NULL, 10);
    return true;
}

static struct metrics_server *server_of(struct collector_inside *collector)
{
    static struct metrics_server *server; /* serves all inputs */
    const struct metrics_server_options options = {.config = &collector->config,
                                                   .registry = &program_registry,
                                                   .version = "0.0.0",
                                                   .pipeline = collector->pipeline,
                                                   .health = collector->health,
                                                   .stall_timeout_ns = INT64_C(3600000000000)};
    struct error error;
    if (server != NULL)
        return server;
    log_divert(note_port);
    EXPECT(metrics_service->create(&server, &options, &error) == 0, "%s", error.text);
    EXPECT(port != 0, "it does not say where it listens");
    now_ns = clock_monotonic_ns();
    return server;
}

static void serve(struct metrics_server *server, int rounds)
{
    while (rounds-- > 0)
        metrics_service->serve(server, now_ns += STEP_NS);
}

static int connect_to(void)
{
    /* Resets the connection, so that its port can be reused. */
    const struct linger at_once = {1, 0};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client < 0 || connect(client, (struct sockaddr *)&to, sizeof to) != 0)
        abort();
    setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return client;
}

static char *exchange(struct metrics_server *server, const char *sent, size_t size, bool ended,
                      size_t *got)
{
    static char *answer;
    int client = connect_to();
    ssize_t more = 1;
    if (answer == NULL && (answer = malloc(MOST_ANSWER)) == NULL)
        abort();
    serve(server, 1);
    if (size != 0 && send(client, sent, size, MSG_NOSIGNAL) != (ssize_t)size)
        abort();
    if (ended)
        shutdown(client, SHUT_WR);
    *got = 0;
    for (int idle = 0, round = 0;
         idle < IDLE_ROUNDS && round < MOST_ROUNDS && more != 0 && *got < MOST_ANSWER; round++) {
        serve(server, 1);
        more = recv(client, answer + *got, MOST_ANSWER - *got, MSG_DONTWAIT);
        idle = more > 0 ? 0 : idle + 1;
        *got += more > 0 ? (size_t)more : 0;
    }
    close(client);
    serve(server, 3);
    return answer;
}

/* --- the request ------------------------------------------------------------------------------ */

static const char *line_end(const char *at, const char *end)
{
    return memchr(at, '\n', (size_t)(end - at));
}

static bool is_address_or_localhost(const char *host, size_t size)
{
    static const char local[] = "localhost";
    size_t at;
    if (size >= sizeof local - 1 && strncasecmp(host, local, sizeof local - 1) == 0)
        return size == sizeof local - 1 || host[sizeof local - 1] == ':' ||
               (host[sizeof local - 1] == '.' && size == sizeof local);
    if (size != 0 && host[0] == '[')
        at = strspn(host + 1, "0123456789abcdefABCDEF:.") + 2;
    else
        at = strspn(host, "0123456789.");
    return at != 0 && (at >= size || host[at] == ':');
}

/*
 * Returns true if each Host line of the first request is an address or localhost. The server reads
 * two kinds of lines differently: a line that begins with NUL is empty and ends the head, and a
 * line that begins with a space continues the name before it. Browsers do not send such lines.
 */
static bool names_us(const char *sent, size_t size)
{
    const char *at = sent, *end = sent + size, *stop;
    while (at < end && (stop = line_end(at, end)) != NULL) {
        char line[256];
        size_t length = (size_t)(stop - at);
        length -= length != 0 && at[length - 1] == '\r';
        if ((length == 0 || *at == '\0') && at != sent)
            return true;
        bool folded = stop + 1 < end && (stop[1] == ' ' || stop[1] == '\t');
        if (!folded && length >= 5 && length < sizeof line && strncasecmp(at, "host:", 5) == 0) {
            const char *value = line + 5;
            memcpy(line, at, length);
            line[length] = '\0';
            value += strspn(value, " \t");
            size_t value_size = strlen(value);
            while (value_size != 0 && strchr(" \t", value[value_size - 1]) != NULL)
                value_size--;
            if (!is_address_or_localhost(value, value_size))
                return false;
        }
        at = stop + 1;
    }
    return true;
}

/* --- the answer ------------------------------------------------------------------------------- */

static void check_samples(const char *body, size_t size)
{
    const char *at = body, *end = body + size, *stop;
    while (at < end) {
        stop = line_end(at, end);
        EXPECT(stop != NULL, "a line without its end");
        char line[4096]; /* a time is added, because the reader expects one */
        int length = snprintf(line, sizeof line, "%.*s 1", (int)(stop - at), at);
        EXPECT((size_t)length < sizeof line, "a long line");
        const char *wrong = *at == '#' ? NULL : prometheus_wrong(line, (size_t)length);
        EXPECT(wrong == NULL, "%s: %s", wrong, line);
        at = stop + 1;
    }
}

static const char *header(const char *answer, const char *name, char value[128])
{
    const char *at = strcasestr(answer, name);
    value[0] = '\0';
    if (at != NULL)
        sscanf(at + strlen(name), "%127[^\r\n]", value);
    return value;
}

static void check_body(const char *type, const char *body, size_t size)
{
    static const char eof[] = "# EOF\n";
    const char *wrong = strstr(type, "json") != NULL ? json_wrong(body, size) : NULL;
    EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)size, body);
    if (strstr(type, "openmetrics") != NULL)
        EXPECT(size > sizeof eof && strcmp(body + size - (sizeof eof - 1), eof) == 0, "no end");
    if (strstr(type, "openmetrics") != NULL || strstr(type, "version=0.0.4") != NULL)
        check_samples(body, size);
}

static int check_answer(char *answer, size_t size, const char *sent)
{
    char length[128], type[128];
    int status = 0;
    if (size == 0)
        return 0;
    answer[size < MOST_ANSWER ? size : MOST_ANSWER - 1] = '\0';
    EXPECT(sscanf(answer, "HTTP/1.%*1[01] %3d ", &status) == 1 && status >= 200 && status <= 599,
           "an answer without a status: %.80s", answer);
    char *body = strstr(answer, "\r\n\r\n");
    EXPECT(body != NULL, "an answer without its end: %.80s", answer);
    *body = '\0';
    body += 4;
    size_t whole = strtoul(header(answer, "\r\nContent-Length: ", length), NULL, 10);
    header(answer, "\r\nContent-Type: ", type);
    size_t there = size - (size_t)(body - answer);
    if ((status == 200 || status == 503) && whole != 0 && whole <= there &&
        strncmp(sent, "HEAD", 4) != 0 && strcasestr(answer, "\r\nContent-Encoding:") == NULL)
        check_body(type, body, whole);
    return status;
}

static void expect_well(struct metrics_server *server)
{
    static const char sent[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    size_t size;
    char *answer = exchange(server, sent, sizeof sent - 1, false, &size);
    EXPECT(check_answer(answer, size, sent) == 200, "it does not answer any more: %.*s",
           (int)(size < 200 ? size : 200), answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char sent[MOST_SENT + 1];
    struct envelope envelope;
    struct collector_inside *collector = collector_inside();
    struct metrics_server *server = server_of(collector);
    const struct envelope_part *part;
    size_t used = 0, got;
    envelope_read(&envelope, data, size);
    for (size_t i = 0;
         (part = envelope_bytes(&envelope, PART_SENT, i)) != NULL && used + part->size <= MOST_SENT;
         i++) {
        memcpy(sent + used, part->bytes, part->size);
        used += part->size;
    }
    sent[used] = '\0';
    char *before = collector_ledger(collector);
    char *answer =
        exchange(server, sent, used, envelope_value(&envelope, PART_ENDED, 0) != 0, &got);
    int status = check_answer(answer, got, sent);
    EXPECT(status != 200 || names_us(sent, used), "a page for another Host:\n%s", sent);
    expect_well(server);
    char *after = collector_ledger(collector);
    EXPECT(strcmp(before, after) == 0, "the ledger has changed:\n%s\n%s", before, after);
    free(before);
    free(after);
    envelope_free(&envelope);
    return 0;
}
