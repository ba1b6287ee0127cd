/* Connects to the far ends of a configuration's sinks: --check=connect. */
#include "collector/config/config.h"
#include "collector/log/log.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_check.h"

static enum exit_code probe_sink(const struct config *config, const struct sink_config *sink)
{
    struct sink_thread_options options = pipeline_sink_of(config, sink);
    struct error said = {.code = EXIT_CODE_OK, .text = "needs no connection"};
    if (sink->destination->probe != NULL)
        sink_thread_probe(&options, (int64_t)config->request.check_timeout_ns, &said);
    log_about(said.code == EXIT_CODE_OK ? LOG_INFO : LOG_ERROR, LOG_OF_SINK, sink->name, "%s",
              said.text);
    return said.code;
}

/*
 * Returns the worse of two results. EXIT_CODE_CONFIG is worse than EXIT_CODE_NOT_REACHED, because
 * the user must correct the configuration.
 */
static enum exit_code worse(enum exit_code a, enum exit_code b)
{
    return a > b ? a : b;
}

_Static_assert(EXIT_CODE_CONFIG > EXIT_CODE_INTERNAL && EXIT_CODE_INTERNAL > EXIT_CODE_NOT_REACHED,
               "the worst is the highest");

enum exit_code pipeline_probe_sinks(const struct config *config)
{
    enum exit_code code = EXIT_CODE_OK;
    for (size_t i = 0; i < config->sink_count; i++)
        code = worse(code, probe_sink(config, &config->sinks[i]));
    return code;
}
