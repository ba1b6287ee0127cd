/* Implements control_send() with the named events that control.c creates. */
#include "collector/platform/control.h"

#include <windows.h>

#include "collector/platform/windows/control_kinds.h"
#include "collector/platform/windows/system_error.h"

int control_send(unsigned long process, enum control_event event, struct error *error)
{
    wchar_t name[CONTROL_NAME_SIZE];
    control_kind_name(control_kind(event), process, name);
    HANDLE opened = OpenEventW(EVENT_MODIFY_STATE, FALSE, name);
    if (opened != NULL && SetEvent(opened)) {
        CloseHandle(opened);
        return 0;
    }
    DWORD reason = GetLastError();
    if (reason == ERROR_FILE_NOT_FOUND)
        error_set(error, EXIT_CODE_NOT_REACHED, "process %lu is not a running sluice", process);
    else
        error_set(error, EXIT_CODE_NOT_REACHED, "cannot signal process %lu: %s", process,
                  system_error(reason).text);
    if (opened != NULL)
        CloseHandle(opened);
    return -1;
}
