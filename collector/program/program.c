#include "collector/program/program.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/base/version.h"
#include "collector/config/apply.h"
#include "collector/config/option_table.h"
#include "collector/control/control_service.h"
#include "collector/glossary/glossary_json.h"
#include "collector/health/health_watch.h"
#include "collector/ledger/ledger_print.h"
#include "collector/log/log.h"
#include "collector/metrics/metrics_server.h"
#include "collector/pipeline/pipeline.h"
#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/process.h"
#include "collector/platform/service_manager.h"
#include "collector/program/descriptor_plan.h"
#include "collector/program/sandboxing.h"
#include "collector/program/start_report.h"
#include "collector/program/supervision.h"

/*
 * Nanoseconds after the deadline of the stop in which threads may return from their last system
 * calls.
 */
#define GRACE_NS INT64_C(500000000)

/*
 * Longest time in milliseconds to wait for a full stderr when a ledger is written: during a run,
 * when signals must not be delayed, and at the end.
 */
#define LIVE_WAIT_MS  100
#define FINAL_WAIT_MS 1000

struct run {
    const struct program_options *options;
    const struct config *config;
    struct control *control;
    struct health_watch *health;     /* NULL without --control and --metrics */
    struct control_service *service; /* NULL without --control */
    struct metrics_server *metrics;  /* NULL without --metrics */
    struct supervision *supervision; /* NULL without a service manager */
    struct sandboxing *sandboxing;   /* NULL without a sandbox */
    struct pipeline *pipeline;
    int64_t end_ns;   /* monotonic: the end of --duration; INT64_MAX: no limit */
    int64_t limit_ns; /* monotonic: the stop must be over; INT64_MAX: no deadline */
    size_t open;      /* connections that were open when limit_ns was set */
    bool stopping;
    uint64_t files;   /* files that sinks had completed when limit_ns was set */
    bool asked;       /* a signal or a client has requested a stop */
    bool asked_again; /* a second request for a stop has come: the stop then does not wait for
                       * files */
    struct log_limit wait_log;
};

static void program_notify(void *context)
{
    control_notify(context);
}

static void write_report(const struct config *config, const struct ledger_snapshot *snapshot,
                         struct output *out)
{
    if (config->ledger == LEDGER_JSON)
        ledger_write_json(snapshot, out);
    else
        ledger_write_text(snapshot, out);
}

/* Writes the ledger to `out` and prints it. Returns false if it does not fit. */
static bool try_report(const struct config *config, const struct ledger_snapshot *snapshot,
                       struct output *out)
{
    write_report(config, snapshot, out);
    if (!out->overflow &&
        !log_text(LOG_INFO, out->data, out->used, snapshot->final ? FINAL_WAIT_MS : LIVE_WAIT_MS))
        log_line(LOG_ERROR, "stderr is full: a ledger was not printed");
    return !out->overflow;
}

static bool program_report(const struct config *config, const struct ledger_snapshot *snapshot)
{
    bool done = false;
    for (size_t capacity = (size_t)64 * 1024; snapshot != NULL && !done; capacity *= 2) {
        struct output out = {.data = malloc(capacity), .capacity = capacity};
        if (out.data == NULL)
            break;
        done = try_report(config, snapshot, &out);
        free(out.data);
    }
    if (!done)
        log_line(LOG_ERROR, "out of memory: the ledger was not printed");
    return done;
}

static void report_now(struct run *run)
{
    struct ledger_snapshot *snapshot = pipeline_snapshot(run->pipeline);
    program_report(run->config, snapshot);
    ledger_snapshot_free(snapshot);
}

static void set_limit(struct run *run, int64_t deadline_ns)
{
    run->limit_ns = deadline_ns == INT64_MAX ? INT64_MAX : deadline_ns + GRACE_NS;
    run->open = pipeline_connections(run->pipeline);
    run->files = pipeline_completed_files(run->pipeline);
}

static void stop_at(struct run *run, int64_t deadline_ns)
{
    run->stopping = true;
    set_limit(run, deadline_ns);
    health_watch_stop(run->health);
    supervision_stopping(run->supervision, deadline_ns == INT64_MAX
                                               ? INT64_MAX
                                               : run->limit_ns - clock_monotonic_ns());
    pipeline_stop(run->pipeline, deadline_ns);
}

static void stop_in_time(struct run *run)
{
    stop_at(run, clock_monotonic_ns() + (int64_t)run->config->limits.stop_timeout_ns);
}

/*
 * The first request begins a stop that drains the pipeline, unless the pipeline already drains. The
 * second request stops at once.
 */
static void stop_on_request(struct run *run)
{
    run->asked_again = run->asked;
    if (run->asked)
        stop_at(run, clock_monotonic_ns());
    else if (run->limit_ns == INT64_MAX)
        stop_in_time(run);
    run->asked = true;
}

/*
 * Ignores a hang-up after any request to stop: when a terminal is closed, the kernel and each shell
 * report the same hang-up.
 */
static void stop_after_hangup(struct run *run)
{
    if (run->asked)
        return;
    log_line(LOG_INFO, "the terminal was closed: stopping");
    stop_on_request(run);
}

/*
 * Stops a pipeline whose work is complete. A pipeline that only reads captures has no deadline,
 * because it must not lose records.
 */
static void stop_when_complete(struct run *run)
{
    if (run->stopping)
        return;
    if (pipeline_is_offline(run->pipeline))
        stop_at(run, INT64_MAX);
    else
        stop_in_time(run);
}

/*
 * Returns the milliseconds until the earliest of two times: `due`, and the limit of the stop or,
 * before a stop, the end of --duration. Negative if there is no limit.
 */
static int wait_time(const struct run *run, int64_t now, int64_t due)
{
    int64_t next = run->stopping ? run->limit_ns : run->end_ns;
    if (due < next)
        next = due;
    return milliseconds_until(next, now);
}

static void follow_config(struct run *run, const struct config *config)
{
    run->config = config;
    descriptor_plan_keep(config);
    descriptor_plan_warn(config);
    if (run->metrics != NULL)
        metrics_service->set_config(run->metrics, config);
    log_set(&config->log);
}

/* Reads the configuration again, and applies all of its changes or none. */
static int take_config(struct run *run, struct error *error)
{
    struct config *config = calloc(1, sizeof *config);
    if (config == NULL) {
        return error_no_memory(error);
    }
    if (run->options->read_config(run->options->context, config, error) != 0) {
        free(config);
        return -1;
    }
    /*
     * Leaves a change of an option that only a restart can change to the pipeline, which reports
     * it; the sandbox does not check such a configuration.
     */
    if (option_fixed_change(run->config, config) == NULL &&
        sandboxing_permits(run->sandboxing, config, error) != 0) {
        config_free(config);
        free(config);
        return -1;
    }
    if (pipeline_apply_config(run->pipeline, config, error) != 0)
        return -1;
    follow_config(run, config);
    return 0;
}

static int take_news(struct run *run, struct error *error)
{
    return run->options->read_config != NULL ? take_config(run, error)
                                             : pipeline_reload(run->pipeline, error);
}

/*
 * Applies the configuration before it reopens files, so that a refused reload completes no file and
 * restarts no command. When the outcome is reported, files have been reopened, or will be before
 * the next write.
 */
static int reload(struct run *run, struct error *error)
{
    if (run->stopping) {
        pipeline_reopen(run->pipeline);
        error_set(error, EXIT_CODE_CONFIG, "the program is stopping: only files were reopened");
        return -1;
    }
    if (take_news(run, error) == 0)
        return 0;
    sandboxing_explain(run->sandboxing, error);
    pipeline_reopen_moved(run->pipeline);
    log_line(LOG_ERROR, "%s: %s",
             run->options->read_config != NULL ? "reload refused, the present configuration stays"
                                               : "reload refused, the present schemas stay",
             error->text);
    return -1;
}

static int reload_on_request(struct run *run, struct error *error)
{
    supervision_reloading(run->supervision);
    int result = reload(run, error);
    supervision_reloaded(run->supervision);
    return result;
}

static void log_failed_wait(struct run *run)
{
    uint64_t held;
    if (log_allowed(&run->wait_log, &held))
        log_line(LOG_ERROR, "the main thread cannot wait for events; it polls every millisecond");
}

static void program_handle(struct run *run, enum control_event event)
{
    struct error refusal; /* not used, because reload has already logged it */
    switch (event) {
    case CONTROL_STOP:
        stop_on_request(run);
        break;
    case CONTROL_HANGUP:
        stop_after_hangup(run);
        break;
    case CONTROL_LEDGER:
        report_now(run);
        break;
    case CONTROL_REOPEN:
        reload_on_request(run, &refusal);
        break;
    case CONTROL_NOTICE:
    case CONTROL_READY:
    case CONTROL_TIMEOUT:
        break;
    case CONTROL_FAILED:
        log_failed_wait(run);
        break;
    }
}

/*
 * Fills `watched` with the handles of both services, sets *due_ns to the earlier of their times,
 * and returns the number of handles.
 */
static size_t watch_clients(struct run *run, struct control_watch watched[CONTROL_WATCHED_MAX],
                            int64_t now, int64_t *due_ns)
{
    _Static_assert(CONTROL_CLIENTS + 1 + METRICS_WATCHED <= CONTROL_WATCHED_MAX,
                   "all can be watched");
    size_t count = 0;
    int64_t due = INT64_MAX;
    *due_ns = INT64_MAX;
    if (run->service != NULL)
        count = control_service_watch(run->service, watched, now, due_ns);
    if (run->metrics != NULL)
        count += metrics_service->watch(run->metrics, watched + count, now, &due);
    RULE(count <= CONTROL_WATCHED_MAX, "all handles can be watched");
    if (due < *due_ns)
        *due_ns = due;
    return count;
}

static enum control_event await_event(struct run *run, int64_t now)
{
    struct control_watch watched[CONTROL_WATCHED_MAX];
    int64_t due;
    const int64_t dues[] = {log_due_ns(), pipeline_due_ns(run->pipeline),
                            supervision_due(run->supervision), health_watch_due(run->health)};
    size_t count = watch_clients(run, watched, now, &due);
    for (size_t i = 0; i < sizeof dues / sizeof dues[0]; i++)
        due = dues[i] < due ? dues[i] : due;
    enum control_event event = control_wait(run->control, watched, count, wait_time(run, now, due));
    sandboxing_report(run->sandboxing);
    log_write_repeats();
    health_watch_look(run->health, clock_monotonic_ns());
    if (run->service != NULL)
        control_service_serve(run->service, clock_monotonic_ns());
    if (run->metrics != NULL)
        metrics_service->serve(run->metrics, clock_monotonic_ns());
    supervision_serve(run->supervision, clock_monotonic_ns());
    return event;
}

/*
 * Extends the limit of the stop if connections were closed or files were completed since the last
 * limit. With many of them, or on a slow disk, this takes long although no thread hangs.
 */
static bool extend_limit(struct run *run, int64_t now)
{
    size_t open = run->open;
    uint64_t files = run->files;
    set_limit(run, now);
    return run->open < open || (run->files != files && !run->asked_again);
}

/* Runs until all threads have ended. Returns false if they did not end in time. */
static bool program_wait(struct run *run)
{
    for (;;) {
        int64_t now = clock_monotonic_ns();
        enum pipeline_state state = pipeline_state(run->pipeline);
        if (state == PIPELINE_FINISHED)
            return true;
        if (now >= run->limit_ns && !extend_limit(run, now))
            return false;
        if (state == PIPELINE_COMPLETE)
            stop_when_complete(run);
        else if (now >= run->end_ns && !run->stopping)
            stop_in_time(run);
        program_handle(run, await_event(run, now));
    }
}

/*
 * Logs records that were lost at the stop: the exit code does not show them (sluice(1), EXIT
 * STATUS).
 */
static void log_late_records(const struct ledger_snapshot *final)
{
    for (size_t i = 0; i < final->sink_count; i++) {
        const struct sink_totals *sink = &final->sinks[i];
        uint64_t late = sink->failed[FAILED_STOP_TIMEOUT];
        if (late != 0)
            log_about(LOG_WARNING, LOG_OF_SINK, sink->name,
                      "%" PRIu64 " record%s not written within --stop-timeout", late,
                      late == 1 ? " was" : "s were");
    }
}

static enum exit_code program_finish(struct run *run)
{
    struct ledger_snapshot *final = pipeline_finish(run->pipeline);
    if (final != NULL)
        log_late_records(final);
    bool reported = program_report(run->config, final);
    if (final == NULL)
        return EXIT_CODE_INTERNAL;
    enum exit_code code = pipeline_exit_code(run->pipeline, final);
    if (!reported)
        code = EXIT_CODE_INTERNAL;
    if (!ledger_balances(final)) {
        log_line(LOG_ERROR, "the ledger does not balance: this is a bug in sluice");
        code = EXIT_CODE_INTERNAL;
    }
    ledger_snapshot_free(final);
    return code;
}

/*
 * Ends the process without joining its threads, because one hangs in a system call that cannot be
 * interrupted.
 */
static _Noreturn void end_without_threads(struct run *run)
{
    const char *name = pipeline_hanging(run->pipeline);
    log_line(LOG_ERROR, "%s: hangs in a system call; the process ends without it",
             name != NULL ? name : "a thread");
    struct ledger_snapshot *known = pipeline_known(run->pipeline);
    program_report(run->config, known);
    ledger_snapshot_free(known);
    control_service_destroy(run->service);
    log_write_repeats_now();
    _Exit(EXIT_CODE_IO);
}

static void write_report_for_client(void *context, const struct ledger_snapshot *snapshot,
                                    struct output *out)
{
    const struct run *run = context;
    write_report(run->config, snapshot, out);
}

static int reload_for_client(void *context, struct error *error)
{
    return reload_on_request(context, error);
}

static void stop_for_client(void *context)
{
    stop_on_request(context);
}

static int serve_control(struct run *run, struct error *error)
{
    const struct control_program program = {.write_report = write_report_for_client,
                                            .reload = reload_for_client,
                                            .stop = stop_for_client,
                                            .context = run,
                                            .health = run->health,
                                            .stall_timeout_ns =
                                                (int64_t)run->config->limits.stall_timeout_ns};
    if (run->config->access.control == NULL)
        return 0;
    return control_service_create(&run->service, run->config->access.control, run->pipeline,
                                  &program, run->options->tap_encoder, error);
}

static int serve_metrics(struct run *run, struct error *error)
{
    const struct metrics_server_options options = {
        .config = run->config,
        .registry = run->options->registry,
        .version = SLUICE_VERSION,
        .pipeline = run->pipeline,
        .health = run->health,
        .write_glossary = glossary_json_write,
        .stall_timeout_ns = (int64_t)run->config->limits.stall_timeout_ns};
    if (!config_serves_metrics(run->config))
        return 0;
    return metrics_service->create(&run->metrics, &options, error);
}

static int serve_clients(struct run *run, struct error *error)
{
    const struct config *config = run->config;
    if (config->access.control == NULL && !config_serves_metrics(config))
        return 0;
    run->health = health_watch_create(run->pipeline, (int64_t)config->limits.stall_timeout_ns);
    if (run->health == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for --control or --metrics");
        return -1;
    }
    return serve_control(run, error) != 0 ? -1 : serve_metrics(run, error);
}

/* Returns the bytes of --memory that --control and --metrics use. `prepare` must have succeeded. */
static uint64_t reserved_memory(const struct config *config)
{
    uint64_t bytes = 0;
    if (config->access.control != NULL)
        bytes += control_service_memory();
    if (config_serves_metrics(config))
        bytes += metrics_service->memory(config);
    return bytes;
}

static int check_metrics(const struct config *config, struct error *error)
{
    if (metrics_service != NULL)
        return metrics_service->check(config, error);
    error_set(error, EXIT_CODE_CONFIG, "--metrics: this program was built without metrics");
    return -1;
}

/* The first checks of a start and of --check. */
static int prepare(const struct config *config, struct error *error)
{
    if (config->user != NULL)
        user_expect();
    if (sandboxing_check(config, error) != 0)
        return -1;
    if (config_serves_metrics(config))
        return check_metrics(config, error);
    if (config->access.metrics_token_file == NULL)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "--metrics-token-file: there is no --metrics to use it for");
    return -1;
}

int program_check(const struct config *config, struct error *error)
{
    if (prepare(config, error) != 0)
        return -1;
    return pipeline_check(config, reserved_memory(config), error);
}

int program_plan_memory(const struct config *config, struct memory_plan *plan, struct error *error)
{
    return pipeline_plan_memory(config, reserved_memory(config), plan, error);
}

static int give_root_up(const struct run *run, struct error *error)
{
    const char *user = run->config->user;
    if (run->service != NULL && control_service_give(run->service, user, error) != 0)
        return -1;
    return user_become(user, error);
}

static int program_start(struct run *run, struct error *error)
{
    descriptor_plan_keep(run->config);
    if (prepare(run->config, error) != 0)
        return -1;
    if (inherited_sockets_take(error) != 0 || control_create(&run->control, error) != 0)
        return -1;
    log_watch(program_notify, run->control);
    if (control_warning(run->control) != NULL)
        log_line(LOG_WARNING, "%s", control_warning(run->control));
    run->supervision = supervision_create();
    struct pipeline_options options = {.config = run->config,
                                       .reserved = reserved_memory(run->config),
                                       .notify = program_notify,
                                       .notify_context = run->control};
    sandboxing_expect(run->config);
    if (pipeline_create(&run->pipeline, &options, error) != 0)
        return -1;
    if (serve_clients(run, error) != 0)
        return -1;
    /* From here on everything is open, and no other thread runs yet. */
    if (run->config->user != NULL && give_root_up(run, error) != 0)
        return -1;
    start_report_log(run->config, pipeline_plan(run->pipeline));
    if (sandboxing_enter(&run->sandboxing, run->config, program_notify, run->control, error) != 0)
        return -1;
    if (pipeline_start(run->pipeline, error) != 0)
        return -1;
    if (run->config->limits.duration_ns != 0)
        run->end_ns = clock_monotonic_ns() + (int64_t)run->config->limits.duration_ns;
    return 0;
}

enum exit_code program_run(const struct program_options *options)
{
    struct run run = {
        .options = options, .config = options->config, .end_ns = INT64_MAX, .limit_ns = INT64_MAX};
    struct error error;
    enum exit_code code;
    log_date_lines(true);
    if (program_start(&run, &error) != 0) {
        log_date_lines(false); /* the user reads it at once, so it needs no date */
        apply_place_option(options->config, &error);
        log_line(LOG_ERROR, "%s", error.text);
        code = error.code;
    } else {
        if (options->running != NULL)
            options->running(options->context);
        supervision_begin(run.supervision, run.pipeline);
        if (!program_wait(&run))
            end_without_threads(&run);
        code = program_finish(&run);
    }
    if (run.metrics != NULL)
        metrics_service->destroy(run.metrics);
    supervision_destroy(run.supervision);
    sandboxing_destroy(run.sandboxing);
    control_service_destroy(run.service);
    health_watch_destroy(run.health);
    pipeline_destroy(run.pipeline);
    log_watch(NULL, NULL);
    control_destroy(run.control);
    inherited_sockets_forget();
    log_date_lines(false);
    return code;
}
