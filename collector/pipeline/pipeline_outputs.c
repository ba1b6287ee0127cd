/* Checks whether a configuration's outputs can be opened, before a start creates anything. */
#include "collector/config/config.h"
#include "collector/output/sink_thread.h"
#include "collector/output/spill_report.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_paths.h"
#include "collector/platform/control.h"
#include "collector/platform/output_file.h"
#include "collector/platform/process.h"

/*
 * Checks all sinks with the rights of this process, which are the rights with which a start opens
 * files.
 */
static int check_sinks_of_start(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        struct sink_thread_options options = pipeline_sink_options(&config->sinks[i]);
        if (sink_thread_check(&options, error) == 0)
            continue;
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    return 0;
}

static int check_spills(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        struct sink_thread_options options = pipeline_sink_of(config, &config->sinks[i]);
        if (spill_report_log(&options, error) == 0)
            continue;
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    return 0;
}

/* Checks the sinks whose files are opened after the start, with the rights of --user. */
static int check_sinks_of_user(const void *context, struct error *error)
{
    const struct config *config = context;
    for (size_t i = 0; i < config->sink_count; i++) {
        struct sink_thread_options options = pipeline_sink_options(&config->sinks[i]);
        if (!sink_thread_opens_later(&options) || sink_thread_check(&options, error) == 0)
            continue;
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    return check_spills(config, error);
}

int pipeline_check_outputs(const struct config *config, struct error *error)
{
    if (pipeline_check_paths(config, error) != 0 || check_sinks_of_start(config, error) != 0)
        return -1;
    if (config->dead_letter.name != NULL &&
        output_check_file(config->dead_letter.path, error) != 0) {
        error_place(error, "--dead-letter");
        return -1;
    }
    if (config->access.control != NULL && control_socket_check(config->access.control, error) != 0)
        return -1;
    if (config->user == NULL)
        return check_spills(config, error);
    struct error why;
    if (user_ask(config->user, check_sinks_of_user, config, &why) == 0)
        return 0;
    error_set(error, why.code, "--user %s: %s", config->user, why.text);
    return -1;
}
