/*
 * Switches to another configuration while datagrams arrive: the steps of reload.h in their order.
 * Steps that take time run first, while everything continues: schemas, sinks, memory. Then the
 * receivers pause. Sockets are bound and changed, and new parts are started; these are the last
 * steps that can fail. Then the new data of the receivers is put in place, and removed parts are
 * retired.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/config/apply.h"
#include "collector/log/log.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_quiesce.h"
#include "collector/pipeline/pipeline_retired.h"
#include "collector/pipeline/pipeline_room.h"
#include "collector/pipeline/reload.h"
#include "collector/pipeline/reload_report.h"
#include "collector/platform/clock.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/receiver.h"

/* --- reloading only the schemas --------------------------------------------------------------- */

static bool has_schemas_from_files(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        for (size_t k = 0; k < config->listeners[i].schema_count; k++)
            if (config->listeners[i].schemas[k].from_file)
                return true;
    return false;
}

static bool has_keys(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        if (config->listeners[i].keys != NULL && config->listeners[i].source->no_change == NULL)
            return true;
    return false;
}

int pipeline_reload(struct pipeline *pipeline, struct error *error)
{
    struct schema_list **lists = pipeline_make_schemas(pipeline->config, error);
    if (lists == NULL)
        return -1;
    pipeline_number_schemas(pipeline, lists, pipeline->config->listener_count);
    for (size_t i = 0; i < pipeline->config->listener_count; i++)
        pipeline_put_schemas(pipeline, pipeline->sources[i], lists[i]);
    free(lists);
    pipeline_close_windows(pipeline);
    pipeline_reopen(pipeline);
    if (has_schemas_from_files(pipeline->config))
        log_line(LOG_INFO, "schemas reloaded");
    return 0;
}

/* --- waiting for the previous reload ---------------------------------------------------------- */

static bool is_leaving(const struct pipeline *pipeline, const char *name)
{
    for (size_t i = 0; i < pipeline->known_count; i++) {
        const struct source *source = pipeline->known[i];
        if (source->name != NULL && strcmp(source->name, name) == 0 &&
            pipeline_producer_leaves(pipeline, source))
            return true;
    }
    return false;
}

static bool await_sockets(struct pipeline *pipeline)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    while (pipeline_sockets_leave(pipeline))
        if (!pipeline_wait_for_change(pipeline, give_up))
            return false;
    return true;
}

/*
 * If a listener that an earlier reload removed is added again under the same name, waits until the
 * removed listener and its connections have ended. Returns the name of a listener that did not end
 * in time, or NULL.
 */
static const char *await_departed(struct pipeline *pipeline, const struct config *to)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    for (size_t i = 0; i < to->listener_count; i++)
        while (is_leaving(pipeline, to->listeners[i].name)) {
            if (!pipeline_wait_for_change(pipeline, give_up))
                return to->listeners[i].name;
            pipeline_look_after(pipeline);
        }
    return NULL;
}

/* --- after the commit ------------------------------------------------------------------------- */

static void log_outcome(const struct reload *reload, const struct reload_report *report)
{
    const struct pipeline *pipeline = reload->pipeline;
    const struct config *to = reload->to;
    if (to->file != NULL)
        reload_report_log(report, to, &reload->change);
    if (has_schemas_from_files(to))
        log_line(LOG_INFO, "schemas reloaded");
    if (has_keys(to))
        log_line(LOG_INFO, "senders' keys reloaded");
    for (size_t i = 0; i < to->listener_count; i++)
        if (reload_adds_listener(reload, i))
            to->listeners[i].source->announce(pipeline->sources[i], &pipeline->host);
}

/* Reopens the files of kept sinks only; new sinks have just been opened. */
static void reopen_kept(const struct reload *reload)
{
    const struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->sink_count; i++)
        if (!reload_adds_sink(reload, i) && pipeline->slots[i]->opened)
            sink_thread_reopen(pipeline->slots[i]->sink);
    if (pipeline->dead_letters != NULL)
        dead_letters_reopen(pipeline->dead_letters);
}

/* --- the whole reload ------------------------------------------------------------------------- */

static int reload_change(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        receiver_forget_gone(pipeline->producers[i].receiver);
        receiver_seal_all(pipeline->producers[i].receiver);
    }
    if (reload_set_sockets(reload, error) != 0)
        return -1;
    if (reload_start(reload, error) != 0) {
        reload_roll_back_sockets(reload);
        return -1;
    }
    reload_commit(reload);
    return 0;
}

static int quiesce_and_change(struct reload *reload, struct error *error)
{
    if (!pipeline_quiesce(reload->pipeline)) {
        error_set(error, EXIT_CODE_INTERNAL, "a receiver did not pause in time; reload again");
        return -1;
    }
    int result = reload_change(reload, error);
    pipeline_resume(reload->pipeline);
    return result;
}

/*
 * Makes the pipeline own the configuration, which it frees when no part uses it. The pipeline also
 * owns the configuration of a refused reload, because sockets that were opened for it and are being
 * closed still use it.
 */
static struct generation *generation_add(struct pipeline *pipeline, struct config *config)
{
    struct generation *generation = calloc(1, sizeof *generation);
    if (generation == NULL) {
        config_free(config);
        free(config);
        return NULL;
    }
    generation->config = config;
    generation->next = pipeline->generations;
    pipeline->generations = generation;
    return generation;
}

int pipeline_apply_config(struct pipeline *pipeline, struct config *config, struct error *error)
{
    bool closed = await_sockets(pipeline);
    const char *unfinished = await_departed(pipeline, config);
    pipeline_look_after(pipeline); /* called first, because it frees configurations that no part
                                    * uses */
    struct reload reload = {
        .pipeline = pipeline, .to = config, .generation = generation_add(pipeline, config)};
    struct reload_report report = {0};
    if (reload.generation == NULL)
        return error_no_memory(error);
    if (!closed) {
        error_set(error, EXIT_CODE_INTERNAL,
                  "listeners that the previous reload removed are not closed yet; reload again");
        return -1;
    }
    if (unfinished != NULL) {
        error_set(error, EXIT_CODE_INTERNAL,
                  "%s: connections from before its removal are still open; reload again",
                  unfinished);
        return -1;
    }
    int result = reload_prepare(&reload, error);
    if (result == 0)
        reload_report_make(&report, pipeline->config, config, &reload.change);
    if (result == 0)
        result = quiesce_and_change(&reload, error);
    if (result == 0) {
        pipeline_close_windows(pipeline);
        reopen_kept(&reload);
        log_outcome(&reload, &report);
    } else {
        apply_place_option(config, error); /* must be called here, because `config` may be freed
                                            * below */
        reload_cancel(&reload);
    }
    reload_clear(&reload);
    pipeline_share_room(pipeline);
    pipeline_look_after(pipeline);
    return result;
}
