#include "collector/program/windows/service_run.h"

#include "collector/log/log.h"
#include "collector/platform/windows/control_post.h"
#include "collector/platform/windows/system_error.h"
#include "collector/program/windows/event_log.h"
#include "collector/program/windows/service_arguments.h"
#include "collector/program/windows/service_status.h"

/* Passed from service_run to service_main. */
static struct {
    const struct service_program *program;
    int argc;
    char **argv;
    enum exit_code code;
} started;

/* --- called by the manager -------------------------------------------------------------------- */

static DWORD service_post(enum control_event event)
{
    return control_post(event) ? NO_ERROR : ERROR_SERVICE_CANNOT_ACCEPT_CTRL;
}

DWORD WINAPI service_control(DWORD control, DWORD type, void *data, void *context)
{
    (void)type;
    (void)data;
    (void)context;
    switch (control) {
    case SERVICE_CONTROL_STOP:
    case SERVICE_CONTROL_SHUTDOWN:
        service_status_stopping();
        control_post_first(CONTROL_STOP);
        return NO_ERROR;
    case SERVICE_CONTROL_PARAMCHANGE:
        return service_post(CONTROL_REOPEN);
    case SERVICE_CONTROL_LEDGER:
        return service_post(CONTROL_LEDGER);
    case SERVICE_CONTROL_INTERROGATE:
        return NO_ERROR;
    default:
        return ERROR_CALL_NOT_IMPLEMENTED;
    }
}

/* --- the service, from its start to its end --------------------------------------------------- */

static void running(void *context)
{
    (void)context;
    service_status_running();
}

static int read_config(void *context, struct config *config, struct error *error)
{
    (void)context;
    return service_arguments_read(started.argc, started.argv, started.program->registry, config,
                                  error)
               ? 0
               : -1;
}

static enum exit_code service_collect(void)
{
    struct config config;
    struct error error;
    if (read_config(NULL, &config, &error) != 0) {
        log_line(LOG_ERROR, "%s", error.text);
        return error.code;
    }
    enum exit_code code;
    if (service_enter_folder(&config, &error)) {
        code = started.program->run(&config, running, read_config, NULL);
    } else {
        log_line(LOG_ERROR, "%s", error.text);
        code = error.code;
    }
    config_free(&config);
    return code;
}

/*
 * Runs the service. The first argument is the service's name; other arguments that the manager
 * passes are ignored.
 */
static void WINAPI service_main(DWORD count, wchar_t **arguments)
{
    SERVICE_STATUS_HANDLE handle =
        RegisterServiceCtrlHandlerExW(arguments[0], service_control, NULL);
    if (handle == NULL)
        return;
    service_status_begin(handle, SetServiceStatus);
    event_log_begin(arguments[0], ReportEventW);
    if (count > 1)
        log_line(LOG_WARNING,
                 "ignored the arguments of the start: a service uses those of its installation");
    started.code = service_collect();
    event_log_end();
    service_status_stopped(started.code);
}

enum exit_code service_run(const struct service_program *program, int argc, char **argv)
{
    wchar_t unnamed[] = L""; /* ignored for a service with its own process */
    const SERVICE_TABLE_ENTRYW table[] = {{unnamed, service_main}, {NULL, NULL}};
    started.program = program;
    started.argc = argc;
    started.argv = argv;
    started.code = EXIT_CODE_INTERNAL;
    if (StartServiceCtrlDispatcherW(table))
        return started.code;
    DWORD reason = GetLastError();
    if (reason == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
        log_line(LOG_ERROR, "only the service manager may call service run; start an installed "
                            "service with sc.exe start NAME");
        return EXIT_CODE_USAGE;
    }
    log_line(LOG_ERROR, "cannot reach the service manager: %s", system_error(reason).text);
    return EXIT_CODE_INTERNAL;
}
