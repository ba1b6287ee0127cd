/* The main program of sluice: reads the command line, then runs the collector or a subcommand. */
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/version.h"
#include "collector/config/apply.h"
#include "collector/config/config_secrets.h"
#include "collector/config/file.h"
#include "collector/config/options.h"
#include "collector/config/provenance.h"
#include "collector/log/log.h"
#include "collector/log/progress_line.h"
#include "collector/metrics/metrics_server.h"
#include "collector/pipeline/pipeline.h"
#include "collector/platform/notifier.h"
#include "collector/platform/output_file.h"
#include "collector/platform/process.h"
#include "collector/platform/sandbox.h"
#include "collector/program/ctl.h"
#include "collector/program/descriptor_plan.h"
#include "collector/program/explain.h"
#include "collector/program/keygen.h"
#include "collector/program/program.h"
#include "collector/program/registry.h"
#include "collector/program/schema_command.h"
#include "collector/program/service.h"
#include "collector/program/spill_command.h"
#include "collector/program/test_command.h"
#include "collector/receive/channel_tls.h"
#include "sinks/compression/compressions.h"
#include "sinks/sinks.h"

/* Prints the output of --version, on whose form scripts and bug reports rely. */
static void print_version(void)
{
    printf("sluice %s\nnotifiers:", SLUICE_VERSION);
    for (const struct notifier_backend *const *one = program_registry.notifiers; *one != NULL;
         one++)
        printf(" %s%s", (*one)->name, notifier_is_available(*one) ? "" : " (not on this system)");
    printf("\nprotobuf-c: %s\nschemas:", protobuf_c_version());
    for (const struct schema_ops *const *schema = program_registry.schemas; *schema != NULL;
         schema++)
        printf(" %s", (*schema)->name);
    printf("\nsinks:");
    for (const struct destination_ops *const *to = program_registry.destinations; *to != NULL; to++)
        printf(" %s", (*to)->scheme);
    printf("\nformats:");
    for (const struct encoder_ops *const *encoder = program_registry.encoders; *encoder != NULL;
         encoder++)
        printf(" %s", (*encoder)->name);
    printf("\ncompressions:");
    for (const struct compression_ops *const *by = builtin_compressions; *by != NULL; by++)
        printf(" %s (%s %s)", (*by)->name, (*by)->library, (*by)->version());
    puts(builtin_compressions[0] == NULL ? " none" : "");
    struct sandbox_state sandbox;
    sandbox_support(&sandbox);
    const char *library = config_file_library();
    printf("configuration files: %s\n", library != NULL ? library : "none");
    printf("metrics: %s\n", metrics_service != NULL ? "built in" : "none");
    printf("sandbox: %s\n", sandbox.text);
    printf("tls: %s\n", tls_channels != NULL ? tls_channels->library() : "none");
    for (const struct destination_ops *const *to = program_registry.destinations; *to != NULL; to++)
        if ((*to)->library != NULL || (*to)->absent != NULL)
            printf("%s: %s\n", (*to)->scheme, (*to)->absent == NULL ? (*to)->library() : "none");
}

static void refuse_schema(const char *name)
{
    char names[128] = "";
    size_t used = 0;
    for (const struct schema_ops *const *one = program_registry.schemas; *one != NULL; one++)
        if ((*one)->proto != NULL && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used != 0 ? ", " : "", (*one)->name);
    log_line(LOG_ERROR, "--print-schema: \"%s\" cannot be printed; choose from %s", name, names);
}

static enum exit_code print_schema(const char *name)
{
    for (const struct schema_ops *const *one = program_registry.schemas; *one != NULL; one++)
        if (strcmp((*one)->name, name) == 0 && (*one)->proto != NULL) {
            fwrite((*one)->proto, 1, *(*one)->proto_size, stdout);
            return EXIT_CODE_OK;
        }
    refuse_schema(name);
    return EXIT_CODE_USAGE;
}

static enum exit_code main_check(const struct config *config)
{
    struct error error;
    if (program_check(config, &error) != 0 || pipeline_check_outputs(config, &error) != 0) {
        apply_place_option(config, &error);
        log_line(LOG_ERROR, "%s", error.text);
        return error.code;
    }
    enum exit_code code =
        config->request.check == CHECK_CONNECTS ? pipeline_probe_sinks(config) : EXIT_CODE_OK;
    if (code != EXIT_CODE_OK)
        return code;
    descriptor_plan_warn(config);
    if (config->provenance != NULL && config->provenance->has_tests)
        log_line(LOG_INFO, "the configuration is valid; sluice test %s runs its tests",
                 config->provenance->files[0]);
    else
        log_line(LOG_INFO, "the configuration is valid");
    return EXIT_CODE_OK;
}

/* Prints what the memory is for. A reader of the configuration ignores it: it is a comment. */
static void print_memory(const struct config *config)
{
    struct memory_plan plan;
    struct error error;
    char text[MEMORY_PLAN_TEXT_SIZE];
    if (program_plan_memory(config, &plan, &error) != 0)
        return;
    memory_plan_describe(&plan, text, sizeof text);
    printf("# memory %s\n", text);
}

static enum exit_code main_inspect(const struct config *config)
{
    enum exit_code code = config->request.check ? main_check(config) : EXIT_CODE_OK;
    if (config->request.print && code == EXIT_CODE_OK) {
        options_print_config(stdout, config, &program_registry);
        print_memory(config);
    }
    return code;
}

static const struct options_environment environment = {environment_value, environment_each};

static void warn(const char *text)
{
    log_line(LOG_WARNING, "%s", text);
}

/*
 * Returns true if a progress line may be shown: the log is text at level info, and no sink writes
 * to the terminal.
 */
static bool shows_progress(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].destination->is_standard_output &&
            terminal_of_output() != TERMINAL_NONE)
            return false;
    return config->log.level == LOG_INFO && config->log.format == LOG_TEXT;
}

static enum exit_code main_run(const struct program_options *options)
{
    const struct config *config = options->config;
    struct error error;
    if (log_begin(&config->log, &error) != 0) {
        log_line(LOG_ERROR, "%s", error.text);
        return error.code;
    }
    options_check_environment(&environment, warn);
    if (shows_progress(config))
        progress_line_begin();
    enum exit_code code = config->request.check || config->request.print ? main_inspect(config)
                                                                         : program_run(options);
    progress_line_end();
    log_end();
    return code;
}

/* Runs the program as a Windows service. `config` was read from the service's arguments. */
static enum exit_code run_service(const struct config *config, void (*running)(void *context),
                                  int (*read_config)(void *context, struct config *config,
                                                     struct error *error),
                                  void *context)
{
    const struct program_options options = {.config = config,
                                            .registry = &program_registry,
                                            .tap_encoder = &encoder_json,
                                            .running = running,
                                            .read_config = read_config,
                                            .context = context};
    return main_run(&options);
}

static const struct service_program service = {
    .registry = &program_registry,
    .check = program_check,
    .run = run_service,
};

/*
 * Shields the process before it reads secrets. A process without secrets is not shielded, so its
 * user can debug it, and it writes core dumps if the system is configured for that.
 */
static void shield_secrets(const struct config *config)
{
    if (config_has_secrets(config, &program_registry))
        process_shield();
}

struct arguments {
    int argc;
    char **argv;
};

/*
 * Reads the configuration again for a reload. Only a program that runs gets here, so options such
 * as --help do not appear.
 */
static int read_config(void *context, struct config *config, struct error *error)
{
    const struct arguments *arguments = context;
    if (options_read(arguments->argc, arguments->argv, &environment, &program_registry, config,
                     error) != OPTIONS_RUN)
        return -1;
    shield_secrets(config);
    return 0;
}

static enum exit_code main_collect(int argc, char **argv)
{
    struct arguments arguments = {argc, argv};
    struct config config = {0};
    struct error error;
    enum exit_code code = EXIT_CODE_OK;
    switch (options_read(argc, argv, &environment, &program_registry, &config, &error)) {
    case OPTIONS_RUN:
        shield_secrets(&config);
        code = main_run(&(struct program_options){.config = &config,
                                                  .registry = &program_registry,
                                                  .tap_encoder = &encoder_json,
                                                  .read_config = read_config,
                                                  .context = &arguments});
        break;
    case OPTIONS_HELP:
        if (options_print_help(stdout, &program_registry, config.request.help_topic, &error) == 0) {
            fputs(config.request.help_topic == NULL ? service_summary : "", stdout);
            break;
        }
        log_line(LOG_ERROR, "%s", error.text);
        code = error.code;
        break;
    case OPTIONS_VERSION:
        print_version();
        break;
    case OPTIONS_SCHEMA:
        code = print_schema(config.request.schema_name);
        break;
    case OPTIONS_WRONG:
        log_line(LOG_ERROR, "%s", error.text);
        code = error.code;
        break;
    }
    config_free(&config);
    return code;
}

static enum exit_code run_subcommand(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "ctl") == 0)
        return ctl_command(argc - 1, argv + 1);
    if (strcmp(name, "test") == 0)
        return test_command(argc - 1, argv + 1);
    if (strcmp(name, "explain") == 0)
        return explain_command(argc - 1, argv + 1);
    if (strcmp(name, "keygen") == 0)
        return keygen_command(argc - 1, argv + 1);
    if (strcmp(name, "spill") == 0)
        return spill_command(argc - 1, argv + 1);
    if (strcmp(name, "schema") == 0)
        return schema_command(argc - 1, argv + 1);
    if (strcmp(name, "service") == 0)
        return service_command(&service, argc - 1, argv + 1);
    return main_collect(argc, argv);
}

int program_main(int argc, char **argv)
{
    output_file_hold_standard_streams();
    enum exit_code code = run_subcommand(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        code = EXIT_CODE_IO;
    return code;
}
