/*
 * `sluice service`: runs the collector as a service that starts with the system. Only Windows needs
 * this command: on other systems any program can be a service, and the command only logs that. Main
 * thread, before anything is started. CMake chooses the implementation: posix/ or windows/.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SERVICE_H
#define SLUICE_COLLECTOR_PROGRAM_SERVICE_H

#include "collector/base/error.h"
#include "collector/config/config.h"

/* The program that becomes a service. Constant. */
struct service_program {
    const struct config_registry *registry;

    /* Checks whether the program can run, as --check does. Returns 0, or -1 with `error` filled. */
    int (*check)(const struct config *config, struct error *error);

    /*
     * Runs the program as program_run does. Calls `running` when it has started, and `read_config`
     * for a reload (struct program_options).
     */
    enum exit_code (*run)(const struct config *config, void (*running)(void *context),
                          int (*read_config)(void *context, struct config *config,
                                             struct error *error),
                          void *context);
};

/* The last lines of --help; empty on systems without the command. */
extern const char service_summary[];

/*
 * Runs `sluice service ARGUMENTS...`; argv[0] is "service". Returns the exit code; errors have been
 * logged.
 */
enum exit_code service_command(const struct service_program *program, int argc, char **argv);

#endif
