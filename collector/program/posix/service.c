/* Implements collector/program/service.h on systems without a `sluice service` command. */
#include "collector/program/service.h"

#include "collector/log/log.h"

const char service_summary[] = "";

enum exit_code service_command(const struct service_program *program, int argc, char **argv)
{
    (void)program;
    (void)argc;
    (void)argv;
    log_line(LOG_ERROR, "service: only on Windows; use systemd");
    return EXIT_CODE_USAGE;
}
