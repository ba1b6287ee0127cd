/* Implements wait_end.h with event objects: a waiting thread uses only the handle in `source`. */
#include "tests/support/platform/wait_end.h"

#include <stdlib.h>

#include "collector/platform/windows/wait_source.h"
#include "tests/support/test.h"

struct wait_end {
    struct wait_source source;
};

static HANDLE make_event(BOOL set)
{
    HANDLE event = CreateEventW(NULL, TRUE, set, NULL);
    assert_non_null(event);
    return event;
}

struct wait_end *wait_end_open(enum wait_end_kind kind)
{
    struct wait_end *made = malloc(sizeof *made);
    assert_non_null(made);
    made->source = (struct wait_source){
        .readable = kind == END_OF_STREAM ? make_event(FALSE) : NULL,
        .writable = make_event(TRUE),
        .broken = make_event(FALSE),
    };
    return made;
}

void wait_end_close(struct wait_end *end)
{
    if (end == NULL)
        return;
    if (end->source.readable != NULL)
        CloseHandle(end->source.readable);
    CloseHandle(end->source.writable);
    CloseHandle(end->source.broken);
    free(end);
}

wait_handle wait_end_handle(const struct wait_end *end)
{
    return wait_source_handle(&end->source);
}

void wait_end_is_sent(struct wait_end *end)
{
    SetEvent(end->source.readable);
}

void wait_end_fill(struct wait_end *end)
{
    ResetEvent(end->source.writable);
}

void wait_end_is_read(struct wait_end *end)
{
    SetEvent(end->source.writable);
}

void wait_end_is_left(struct wait_end *end)
{
    SetEvent(end->source.broken);
}
