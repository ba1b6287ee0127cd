/* Implements struct wakeup with event objects. */
#include "collector/platform/wakeup.h"

#include <stdlib.h>
#include <windows.h>

#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/wait_source.h"

struct wakeup {
    HANDLE event; /* an auto-reset event */
};

int wakeup_create(struct wakeup **out, struct error *error)
{
    struct wakeup *wakeup = calloc(1, sizeof *wakeup);
    if (wakeup == NULL)
        return error_no_memory(error);
    wakeup->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (wakeup->event == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot create an event: %s",
                  system_error(GetLastError()).text);
        free(wakeup);
        return -1;
    }
    *out = wakeup;
    return 0;
}

void wakeup_destroy(struct wakeup *wakeup)
{
    if (wakeup == NULL)
        return;
    CloseHandle(wakeup->event);
    free(wakeup);
}

void wakeup_signal(struct wakeup *wakeup)
{
    SetEvent(wakeup->event);
}

/* If several events are set, the wait reports the first one of the array; the others stay set. */
enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms)
{
    HANDLE events[3];
    enum wakeup_reason reasons[3];
    DWORD count = 0;
    const struct wait_source *source = handle == NO_HANDLE ? NULL : wait_source_of(handle);
    if (source != NULL && source->broken != NULL) {
        reasons[count] = WAKEUP_BROKEN;
        events[count++] = source->broken;
    }
    if (source != NULL && source->writable != NULL && want_write) {
        reasons[count] = WAKEUP_WRITABLE;
        events[count++] = source->writable;
    }
    reasons[count] = WAKEUP_SIGNALLED;
    events[count++] = wakeup->event;
    DWORD found =
        WaitForMultipleObjects(count, events, FALSE, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
    if (found < WAIT_OBJECT_0 + count)
        return reasons[found - WAIT_OBJECT_0];
    if (found == WAIT_TIMEOUT)
        return WAKEUP_TIMEOUT;
    Sleep(1);
    return WAKEUP_FAILED;
}
