#include "collector/control/control_service.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/control/control_client.h"
#include "collector/control/tap_view.h"
#include "collector/health/health_watch.h"
#include "collector/ledger/ledger_print.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/status/levels_json.h"
#include "collector/text/json_writer.h"

#define SECOND_NS INT64_C(1000000000)

/*
 * The interval between two reads of the tap. The tap has enough slots for the batches of a longer
 * time, even at 100,000 datagrams a second.
 */
#define TAP_TICK_NS INT64_C(5000000)

/*
 * A read of the tap ends after LOOKS_A_TICK batches, or with the first batch after TAP_TICK_NS. The
 * pause after it is at least TAP_PAUSE_FACTOR times as long as the read took. So hostile names and
 * patterns cost at most a quarter of a processor, and a signal waits for at most one batch more.
 */
#define LOOKS_A_TICK     8
#define TAP_PAUSE_FACTOR 3

/* Pause before the next accept after the system refused one. */
#define ACCEPT_PAUSE_NS SECOND_NS

/* How often to look for an idle client while a new one waits for a slot. */
#define ROOM_PAUSE_NS (CONTROL_SILENT_NS / 2)

_Static_assert(CONTROL_CLIENTS + 1 <= CONTROL_WATCHED_MAX, "all can be watched");

struct client {
    struct control_client base;
    bool tapping;
    struct tap_watcher watcher;
    uint64_t passed_by; /* the value of tap_passed_by at the last report */
    int64_t second_ends;
};

struct control_service {
    struct control_socket *socket;
    struct pipeline *pipeline;
    struct control_program program;
    struct tap *tap;
    struct tap_view *view;
    struct client clients[CONTROL_CLIENTS];
    struct control_connection *waiting; /* accepted, without a slot, or NULL */
    int64_t waiting_since_ns;
    int64_t accepts_from; /* no client is accepted before this time (monotonic nanoseconds) */
    int64_t tap_due;
    enum tap_state tap_state;
};

int control_service_create(struct control_service **out, const char *address,
                           struct pipeline *pipeline, const struct control_program *program,
                           const struct encoder_ops *encoder, struct error *error)
{
    struct control_service *service = calloc(1, sizeof *service);
    if (service == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for --control");
        return -1;
    }
    service->pipeline = pipeline;
    service->program = *program;
    service->tap = pipeline_tap(pipeline);
    service->view = tap_view_create(encoder);
    bool complete = service->view != NULL;
    for (size_t i = 0; i < CONTROL_CLIENTS; i++)
        complete =
            control_client_create(&service->clients[i].base, program->stall_timeout_ns) && complete;
    if (!complete)
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for --control");
    if (!complete || control_socket_open(&service->socket, address, error) != 0) {
        control_service_destroy(service);
        return -1;
    }
    *out = service;
    return 0;
}

int control_service_give(const struct control_service *service, const char *user,
                         struct error *error)
{
    return control_socket_give(service->socket, user, error);
}

void control_service_destroy(struct control_service *service)
{
    if (service == NULL)
        return;
    tap_set(service->tap, TAP_OFF);
    for (size_t i = 0; i < CONTROL_CLIENTS; i++)
        control_client_destroy(&service->clients[i].base);
    control_connection_close(service->waiting);
    tap_view_destroy(service->view);
    control_socket_close(service->socket);
    free(service);
}

size_t control_service_memory(void)
{
    return sizeof(struct control_service) + CONTROL_CLIENTS * control_client_memory() +
           tap_view_memory();
}

/* --- requests --------------------------------------------------------------------------------- */

static void write_answer(struct output *out, const char *what, const char *text, size_t size)
{
    json_object_begin(out);
    json_key(out, what, strlen(what));
    json_string(out, text, size);
    json_object_end(out);
    output_char(out, '\n');
}

static void write_error(struct output *out, const char *why)
{
    write_answer(out, "error", why, strlen(why));
}

static void answer_ledger(struct control_service *service, struct client *client,
                          const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    struct ledger_snapshot *snapshot = pipeline_snapshot(service->pipeline);
    if (snapshot != NULL)
        ledger_write_json(snapshot, &client->base.out);
    else
        write_error(&client->base.out, "out of memory");
    ledger_snapshot_free(snapshot);
}

static void write_report(const struct control_service *service,
                         const struct ledger_snapshot *snapshot, struct output *out)
{
    struct output text = {.data = malloc(out->capacity), .capacity = out->capacity};
    if (snapshot != NULL && text.data != NULL) {
        service->program.write_report(service->program.context, snapshot, &text);
        write_answer(out, "report", text.data, text.used);
        out->overflow = out->overflow || text.overflow;
    } else {
        write_error(out, "out of memory");
    }
    free(text.data);
}

static void answer_report(struct control_service *service, struct client *client,
                          const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    struct ledger_snapshot *snapshot = pipeline_snapshot(service->pipeline);
    write_report(service, snapshot, &client->base.out);
    ledger_snapshot_free(snapshot);
}

static void answer_reload(struct control_service *service, struct client *client,
                          const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    struct output *out = &client->base.out;
    struct error error;
    if (service->program.reload(service->program.context, &error) == 0)
        write_answer(out, "reload", "done", strlen("done"));
    else
        write_answer(out, "refused", error.text, strlen(error.text));
}

static void answer_stop(struct control_service *service, struct client *client,
                        const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    service->program.stop(service->program.context);
    write_answer(&client->base.out, "stop", "begun", strlen("begun"));
}

static void answer_senders(struct control_service *service, struct client *client,
                           const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    sender_report_write(pipeline_senders(service->pipeline), &client->base.out);
}

static void answer_levels(struct control_service *service, struct client *client,
                          const char *argument, size_t size)
{
    (void)argument;
    (void)size;
    struct pipeline_levels *levels = pipeline_read_levels(service->pipeline);
    if (levels == NULL) {
        write_error(&client->base.out, "out of memory");
        return;
    }
    levels_json_write(levels, clock_monotonic_ns(), &client->base.out);
    output_char(&client->base.out, '\n');
    pipeline_levels_free(levels);
}

static void answer_health(struct control_service *service, struct client *client,
                          const char *argument, size_t size)
{
    enum health_status status;
    (void)argument;
    (void)size;
    if (!health_watch_report(service->program.health, &client->base.out, &status))
        write_error(&client->base.out, "out of memory");
}

static void begin_second(struct client *client, int64_t now_ns)
{
    client->watcher.lines_left = CONTROL_TAP_LINES;
    client->second_ends = now_ns + SECOND_NS;
}

static void answer_tap(struct control_service *service, struct client *client, const char *argument,
                       size_t size)
{
    if (size > sizeof client->watcher.pattern) {
        write_error(&client->base.out, "the pattern is too long");
        return;
    }
    memcpy(client->watcher.pattern, argument, size);
    client->watcher.pattern_size = size;
    client->watcher.left_out = 0;
    client->passed_by = tap_passed_by(service->tap);
    client->tapping = true;
    begin_second(client, clock_monotonic_ns());
}

static const struct {
    const char *name;
    bool with_argument;
    bool may_grow; /* a large answer is written again, with more room */
    bool is_order; /* accepted only from the collector's user and the administrator */
    void (*answer)(struct control_service *service, struct client *client, const char *argument,
                   size_t size);
} requests[] = {
    {"ledger", .may_grow = true, .answer = answer_ledger},
    {"report", .may_grow = true, .answer = answer_report},
    {"senders", .may_grow = true, .answer = answer_senders},
    {"levels", .may_grow = true, .answer = answer_levels},
    {"health", .may_grow = true, .answer = answer_health},
    {"tap", .with_argument = true, .answer = answer_tap},
    {"reload", .is_order = true, .answer = answer_reload},
    {"stop", .is_order = true, .answer = answer_stop},
};

static void answer(struct control_service *service, struct client *client, const char *request,
                   size_t size)
{
    struct output *out = &client->base.out;
    RULE(out->used == 0, "a request is answered after the last answer was sent");
    if (size != 0 && request[size - 1] == '\r')
        size--;
    const char *space = memchr(request, ' ', size);
    size_t name_size = space != NULL ? (size_t)(space - request) : size;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strlen(requests[i].name) != name_size ||
            memcmp(requests[i].name, request, name_size) != 0 ||
            requests[i].with_argument != (space != NULL))
            continue;
        if (requests[i].is_order && !control_connection_may_order(client->base.connection)) {
            write_error(out, "only the user of this sluice, and root, may do that");
            return;
        }
        const char *argument = requests[i].with_argument ? space + 1 : request + size;
        do {
            requests[i].answer(service, client, argument, (size_t)(request + size - argument));
        } while (out->overflow && requests[i].may_grow && control_client_grow(&client->base));
        if (out->overflow) {
            *out = (struct output){.data = out->data, .capacity = out->capacity};
            write_error(out, "the answer is too long");
        }
        return;
    }
    write_error(
        out,
        "no such request; use ledger, report, senders, levels, health, tap GLOB, reload, stop");
}

/* --- the tap ---------------------------------------------------------------------------------- */

/*
 * Returns the state that the tap must have: TAP_TAKING if a client of the tap may get more lines in
 * this second, TAP_COUNTING if each of these clients has used up its lines, TAP_OFF if there are
 * none.
 */
static enum tap_state wanted_state(const struct control_service *service)
{
    enum tap_state state = TAP_OFF;
    for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
        const struct client *client = &service->clients[i];
        if (client->tapping && client->watcher.lines_left != 0)
            return TAP_TAKING;
        if (client->tapping)
            state = TAP_COUNTING;
    }
    return state;
}

static void set_tap(struct control_service *service, int64_t now_ns)
{
    enum tap_state state = wanted_state(service);
    if (state == service->tap_state)
        return;
    service->tap_state = state;
    service->tap_due = now_ns;
    tap_set(service->tap, state);
}

/* Shows only a few batches at a time, because the main thread must also handle signals. */
static void show_batches(struct control_service *service, int64_t until_ns)
{
    struct batch *batch;
    for (int i = 0; i < LOOKS_A_TICK && clock_monotonic_ns() < until_ns &&
                    (batch = tap_next(service->tap)) != NULL;
         i++) {
        for (size_t k = 0; k < CONTROL_CLIENTS; k++) {
            struct client *client = &service->clients[k];
            if (client->tapping)
                tap_view_show(service->view, &client->watcher, batch, &client->base.out);
        }
        tap_done(service->tap, batch);
    }
}

/*
 * Reports how many records the client's tap has left out since the last report. Called once a
 * second. If there is no room for the line, the next report includes these records.
 */
static void report_left_out(struct control_service *service, struct client *client)
{
    struct output *out = &client->base.out;
    size_t before = out->used;
    uint64_t passed_by = tap_passed_by(service->tap);
    client->watcher.left_out += passed_by - client->passed_by;
    client->passed_by = passed_by;
    if (client->watcher.left_out == 0)
        return;
    json_object_begin(out);
    json_member_uint64(out, "left_out_records", client->watcher.left_out);
    json_object_end(out);
    output_char(out, '\n');
    if (out->overflow)
        out->used = before;
    else
        client->watcher.left_out = 0;
    out->overflow = false;
}

static void serve_tap(struct control_service *service, int64_t now_ns)
{
    if (service->tap_state == TAP_OFF || now_ns < service->tap_due)
        return;
    show_batches(service, now_ns + TAP_TICK_NS);
    for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
        struct client *client = &service->clients[i];
        RULE(!client->tapping || client->base.connection != NULL,
             "a client of the tap is connected");
        if (!client->tapping || now_ns < client->second_ends)
            continue;
        report_left_out(service, client);
        begin_second(client, now_ns);
    }
    int64_t spent = clock_monotonic_ns() - now_ns;
    service->tap_due = now_ns + TAP_TICK_NS + (1 + TAP_PAUSE_FACTOR) * spent;
}

/* --- clients ---------------------------------------------------------------------------------- */

static void end_client(struct client *client)
{
    client->tapping = false;
    control_client_end(&client->base);
}

/* Sends a line to a connection that is closed after it. */
static void dismiss(struct control_connection *connection, const char *line)
{
    size_t moved; /* the result is ignored */
    control_connection_write(connection, line, strlen(line), &moved);
}

/* Returns the client that has been idle for the longest time, one without a tap first, or NULL. */
static struct client *idlest_client(struct control_service *service, int64_t now_ns)
{
    struct client *found = NULL;
    for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
        struct client *client = &service->clients[i];
        if (!control_client_idles(&client->base, now_ns))
            continue;
        bool sooner = found == NULL || (client->tapping == found->tapping
                                            ? client->base.active_ns < found->base.active_ns
                                            : found->tapping);
        if (sooner)
            found = client;
    }
    return found;
}

static struct client *free_client(struct control_service *service)
{
    for (size_t i = 0; i < CONTROL_CLIENTS; i++)
        if (service->clients[i].base.connection == NULL)
            return &service->clients[i];
    return NULL;
}

/*
 * Gives a slot to the connection that waits for one. If no slot is free, replaces an idle client.
 * If no client becomes idle in time, refuses the connection.
 */
static void place_waiting(struct control_service *service, int64_t now_ns)
{
    if (service->waiting == NULL)
        return;
    struct client *client = free_client(service);
    if (client == NULL && (client = idlest_client(service, now_ns)) != NULL) {
        if (client->base.out.used == 0)
            dismiss(client->base.connection,
                    "{\"error\":\"disconnected: idle while other clients need the place\"}\n");
        end_client(client);
    }
    if (client != NULL) {
        control_client_begin(&client->base, service->waiting, now_ns);
    } else if (now_ns - service->waiting_since_ns >= CONTROL_IDLE_NS) {
        dismiss(service->waiting, "{\"error\":\"too many clients\"}\n");
        control_connection_close(service->waiting);
    } else {
        return;
    }
    service->waiting = NULL;
}

static void accept_clients(struct control_service *service, int64_t now_ns)
{
    enum control_result result = CONTROL_DONE;
    if (now_ns < service->accepts_from)
        return;
    while (service->waiting == NULL && result == CONTROL_DONE) {
        result = control_socket_accept(service->socket, &service->waiting);
        struct client *client = result == CONTROL_DONE ? free_client(service) : NULL;
        service->waiting_since_ns = now_ns;
        if (client == NULL)
            continue;
        control_client_begin(&client->base, service->waiting, now_ns);
        service->waiting = NULL;
    }
    if (result == CONTROL_OVER)
        service->accepts_from = now_ns + ACCEPT_PAUSE_NS;
}

static void serve_client(struct control_service *service, struct client *client, int64_t now_ns)
{
    char request[CONTROL_REQUEST_SIZE];
    size_t size;
    control_client_read(&client->base, now_ns);
    if (client->tapping)
        client->base.line_used = 0; /* further requests are ignored, but a disconnect is noticed */
    else if (control_client_request(&client->base, request, &size, now_ns))
        answer(service, client, request, size);
    bool left = client->tapping && client->base.ended;
    if (left || !control_client_flush(&client->base, now_ns) ||
        control_client_is_done(&client->base))
        end_client(client);
}

void control_service_serve(struct control_service *service, int64_t now_ns)
{
    accept_clients(service, now_ns);
    serve_tap(service, now_ns);
    for (size_t i = 0; i < CONTROL_CLIENTS; i++)
        if (service->clients[i].base.connection != NULL)
            serve_client(service, &service->clients[i], now_ns);
    place_waiting(service, now_ns);
    set_tap(service, now_ns);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/*
 * Returns when the tap must be read. While it only counts, that is when the first of the clients'
 * seconds ends.
 */
static int64_t tap_due(const struct control_service *service)
{
    if (service->tap_state == TAP_TAKING)
        return service->tap_due;
    int64_t due_ns = INT64_MAX;
    for (size_t i = 0; i < CONTROL_CLIENTS; i++)
        if (service->clients[i].tapping)
            bring_forward(&due_ns, service->clients[i].second_ends);
    return due_ns;
}

size_t control_service_watch(struct control_service *service,
                             struct control_watch watched[CONTROL_WATCHED_MAX], int64_t now_ns,
                             int64_t *due_ns)
{
    size_t count = 0;
    *due_ns = tap_due(service);
    if (service->waiting != NULL)
        bring_forward(due_ns, now_ns + ROOM_PAUSE_NS);
    else if (now_ns >= service->accepts_from)
        watched[count++] =
            (struct control_watch){control_socket_handle(service->socket), true, false};
    else
        bring_forward(due_ns, service->accepts_from);
    for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
        const struct control_client *client = &service->clients[i].base;
        if (client->connection == NULL)
            continue;
        bool waits = client->out.used != 0;
        bool backs_off = now_ns < client->backoff_until_ns;
        if (backs_off || (control_client_has_request(client) && !waits))
            bring_forward(due_ns, client->backoff_until_ns);
        if (waits)
            bring_forward(due_ns, client->progress_ns + client->stall_timeout_ns);
        if (control_client_rests(client, now_ns)) {
            bring_forward(due_ns, client->rest_until_ns);
            continue;
        }
        bool reads = !backs_off && !client->ended && client->line_used < sizeof client->line;
        if (reads || waits)
            watched[count++] =
                (struct control_watch){control_connection_handle(client->connection), reads, waits};
    }
    RULE(count <= CONTROL_CLIENTS + 1, "the socket and each client are watched once");
    return count;
}
