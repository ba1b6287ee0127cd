/*
 * Implements struct control with event objects and console events. Events posted by this process
 * are counted by semaphores. Events set by other processes are not counted, like POSIX signals: two
 * that are set before a wait reports the first count as one.
 */
#include "collector/platform/control.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "collector/platform/windows/console_events.h"
#include "collector/platform/windows/control_kinds.h"
#include "collector/platform/windows/control_post.h"
#include "collector/platform/windows/own_access.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/wait_source.h"

/* A semaphore and a named event of each kind, and the notice. */
#define OWN_EVENTS  (2 * CONTROL_KINDS + 1)
#define EVENTS_EACH 3 /* for a watched handle */

_Static_assert(OWN_EVENTS + EVENTS_EACH * CONTROL_WATCHED_MAX <= MAXIMUM_WAIT_OBJECTS,
               "all can be waited for at once");

struct control {
    struct control_posted posted;
    HANDLE asked[CONTROL_KINDS]; /* named events that other processes set; all NULL if they could
                                    not be created */
    HANDLE notice;               /* an auto-reset event */
    char hint[SYSTEM_ERROR_SIZE + 128];
};

unsigned long control_process_id(void)
{
    return GetCurrentProcessId();
}

void control_notify(struct control *control)
{
    SetEvent(control->notice);
}

/* --- making the control ----------------------------------------------------------------------- */

/*
 * Fails if the event exists already: another program has created it, perhaps to control this one.
 */
static HANDLE create_asked(size_t kind, SECURITY_ATTRIBUTES *access)
{
    wchar_t name[CONTROL_NAME_SIZE];
    control_kind_name(kind, GetCurrentProcessId(), name);
    HANDLE event = CreateEventW(access, FALSE, FALSE, name);
    if (event == NULL || GetLastError() != ERROR_ALREADY_EXISTS)
        return event;
    CloseHandle(event);
    SetLastError(ERROR_ALREADY_EXISTS);
    return NULL;
}

static void close_each(HANDLE handles[CONTROL_KINDS])
{
    for (size_t kind = 0; kind < CONTROL_KINDS; kind++) {
        if (handles[kind] != NULL)
            CloseHandle(handles[kind]);
        handles[kind] = NULL;
    }
}

/* Creates all named events or none. Without them only `sluice ctl` does not work. */
static void open_to_others(struct control *control)
{
    SECURITY_ATTRIBUTES access;
    bool good = own_access_make(&access);
    for (size_t kind = 0; good && kind < CONTROL_KINDS; kind++) {
        control->asked[kind] = create_asked(kind, &access);
        good = control->asked[kind] != NULL;
    }
    if (!good) {
        snprintf(control->hint, sizeof control->hint,
                 "sluice ctl cannot reach this process: its events cannot be created: %s",
                 system_error(GetLastError()).text);
        close_each(control->asked);
    }
    own_access_free(&access);
}

int control_create(struct control **out, struct error *error)
{
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for console events");
        return -1;
    }
    control->notice = CreateEventW(NULL, FALSE, FALSE, NULL);
    bool good = control->notice != NULL;
    for (size_t kind = 0; good && kind < CONTROL_KINDS; kind++) {
        control->posted.semaphores[kind] = CreateSemaphoreW(NULL, 0, LONG_MAX, NULL);
        good = control->posted.semaphores[kind] != NULL;
    }
    if (!good) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot wait for console events: %s",
                  system_error(GetLastError()).text);
        control_destroy(control);
        return -1;
    }
    open_to_others(control);
    control_post_to(&control->posted);
    console_events_begin();
    *out = control;
    return 0;
}

void control_destroy(struct control *control)
{
    if (control == NULL)
        return;
    console_events_end();
    control_post_to(NULL);
    close_each(control->posted.semaphores);
    close_each(control->asked);
    if (control->notice != NULL)
        CloseHandle(control->notice);
    free(control);
}

const char *control_warning(const struct control *control)
{
    return control->hint[0] != '\0' ? control->hint : NULL;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* The handles of a wait. If several are set, the first is reported. */
struct waiting {
    HANDLE handles[MAXIMUM_WAIT_OBJECTS];
    enum control_event meanings[MAXIMUM_WAIT_OBJECTS];
    DWORD count;
};

static void control_add(struct waiting *waiting, HANDLE handle, enum control_event meaning)
{
    if (handle == NULL)
        return;
    waiting->handles[waiting->count] = handle;
    waiting->meanings[waiting->count++] = meaning;
}

enum control_event control_wait(struct control *control, const struct control_watch *watched,
                                size_t count, int timeout_ms)
{
    struct waiting waiting = {.count = 0};
    for (size_t kind = 0; kind < CONTROL_KINDS; kind++) {
        control_add(&waiting, control->posted.semaphores[kind], control_kinds[kind]);
        control_add(&waiting, control->asked[kind], control_kinds[kind]);
    }
    control_add(&waiting, control->notice, CONTROL_NOTICE);
    for (size_t i = 0; i < count; i++) {
        const struct wait_source *source = wait_source_of(watched[i].handle);
        control_add(&waiting, source->broken, CONTROL_READY);
        if (watched[i].want_read)
            control_add(&waiting, source->readable, CONTROL_READY);
        if (watched[i].want_write)
            control_add(&waiting, source->writable, CONTROL_READY);
    }
    DWORD found = WaitForMultipleObjects(waiting.count, waiting.handles, FALSE,
                                         timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
    if (found < WAIT_OBJECT_0 + waiting.count)
        return waiting.meanings[found - WAIT_OBJECT_0];
    if (found == WAIT_TIMEOUT)
        return CONTROL_TIMEOUT;
    Sleep(1);
    return CONTROL_FAILED;
}
