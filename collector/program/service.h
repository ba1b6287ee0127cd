/*
 * The collector as a service of the system, one that is started when the system is: what
 * `sluice service` does. Only Windows has such a subcommand; elsewhere a service is any program,
 * and this says so. Main thread, before anything is started. CMake picks the implementation under
 * platform/.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SERVICE_H
#define SLUICE_COLLECTOR_PROGRAM_SERVICE_H

#include "collector/base/error.h"
#include "collector/config/config.h"

/* The program that becomes a service. Constant. */
struct service_program {
    const struct config_registry *registry;

    /* Whether it can be run, as --check says. Returns 0, or -1 with `error` filled. */
    int (*check)(const struct config *config, struct error *error);

    /* Runs it to its end and calls `running` meanwhile, as program_run does. */
    enum exit_code (*run)(const struct config *config, void (*running)(void *context),
                          void *context);
};

/* Whole lines about it for --help, after all others; empty where there is no such subcommand. */
extern const char service_summary[];

/*
 * What `sluice service ARGUMENTS...` does; argv[0] is "service". Returns the exit code; what went
 * wrong has been logged.
 */
enum exit_code service_command(const struct service_program *program, int argc, char **argv);

#endif
