#include "collector/program/windows/service_arguments.h"

#include <stdlib.h>
#include <windows.h>

#include "collector/config/absolute.h"
#include "collector/config/options.h"
#include "collector/platform/file_system.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

static const char *refusal(enum options_result result, const struct config *config)
{
    if (result == OPTIONS_HELP)
        return "--help is not for a service";
    if (result == OPTIONS_VERSION)
        return "--version is not for a service";
    if (result == OPTIONS_SCHEMA)
        return "--print-schema is not for a service";
    if (config->request.check)
        return "--check is not for a service; use sluice --check";
    if (config->request.print)
        return "--print-config is not for a service; use sluice --print-config";
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].destination->is_standard_output)
            return "a service has no standard output; use --sink file:PATH";
    return NULL;
}

bool service_arguments_read(int argc, char *const *argv, const struct config_registry *registry,
                            struct config *config, struct error *error)
{
    enum options_result result = options_parse(argc, argv, registry, config, error);
    if (result == OPTIONS_WRONG)
        return false;
    const char *why = refusal(result, config);
    if (why == NULL)
        return true;
    error_set(error, EXIT_CODE_USAGE, "%s", why);
    config_free(config);
    return false;
}

bool service_enter_folder(const struct config *config, struct error *error)
{
    wchar_t *path = config->file != NULL ? text_wide_copy(config->file) : NULL;
    if (path == NULL && config->file != NULL)
        return error_no_memory(error) == 0;
    size_t length = path != NULL ? wcslen(path) : 0;
    while (length != 0 && path[length - 1] != L'/' && path[length - 1] != L'\\')
        length--;
    bool entered = true;
    if (length != 0) {
        path[length] = L'\0'; /* the separator stays: the root of a drive ends with one */
        entered = SetCurrentDirectoryW(path);
    }
    if (!entered)
        error_set(error, EXIT_CODE_CONFIG, "cannot enter the folder of %s: %s", config->file,
                  system_error(GetLastError()).text);
    free(path);
    return entered;
}

static char *current_folder(struct error *error)
{
    DWORD size = GetCurrentDirectoryW(0, NULL);
    wchar_t *wide = size == 0 ? NULL : calloc(size, sizeof *wide);
    char *folder = NULL;
    DWORD length = wide == NULL ? 0 : GetCurrentDirectoryW(size, wide);
    if (length != 0 && length < size)
        folder = text_from_wide_copy(wide);
    if (folder == NULL)
        error_set(error, EXIT_CODE_INTERNAL, "cannot tell the current folder: %s",
                  system_error(GetLastError()).text);
    else
        file_path_normalise(folder);
    free(wide);
    return folder;
}

char **service_arguments_absolute(int argc, char *const *argv,
                                  const struct config_registry *registry, struct error *error)
{
    char *folder = current_folder(error);
    if (folder == NULL)
        return NULL;
    char **absolute = absolute_arguments(argc, argv, registry, folder, error);
    free(folder);
    return absolute;
}
