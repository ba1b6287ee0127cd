#include "collector/log/progress_line.h"

#include <stdatomic.h>
#include <string.h>

#include "collector/base/progress.h"
#include "collector/log/progress_text.h"
#include "collector/platform/clock.h"
#include "collector/platform/process.h"

#define FIRST_NS INT64_C(500000000) /* shorter work is not shown */
#define NEXT_NS  INT64_C(100000000)

/* Moves to the beginning of the line and clears it (ECMA-48: CR, EL). */
static const char take_away[] = "\r\033[K";

/* Set while a line is on the terminal. */
static _Atomic bool standing;

/*
 * Set while a thread's work is shown. Only one thread's work is shown, and only that thread uses
 * `work`.
 */
static atomic_flag taken = ATOMIC_FLAG_INIT;
static _Thread_local bool is_mine;
static struct {
    int64_t begun_ns;
    int64_t next_ns;
    const char *doing;
} work;

void progress_line_make_room(void)
{
    if (atomic_exchange(&standing, false))
        log_stream_write(take_away, sizeof take_away - 1, 0);
}

static void show(const struct progress *now, int64_t now_ns)
{
    static const char *const datagrams = "datagrams";
    char line[sizeof take_away - 1 + PROGRESS_TEXT_SIZE];
    size_t columns = terminal_columns();
    bool counts_them = now->unit == PROGRESS_DATAGRAMS;
    const struct progress_figures figures = {
        .doing = now->doing,
        .name = now->name,
        .done = (double)now->done,
        .total = (double)now->total,
        .counted = counts_them || now->datagrams != 0 ? datagrams : NULL,
        .count = counts_them ? now->done : now->datagrams,
        .bytes = now->unit == PROGRESS_BYTES && now->datagrams == 0,
        .seconds = (double)(now_ns - work.begun_ns) / 1e9,
    };
    if (columns < 2)
        return;
    memcpy(line, take_away, sizeof take_away - 1);
    /* The last column stays empty, because some terminals begin a new line after it. */
    size_t size = sizeof take_away - 1;
    size += progress_text(&figures, columns - 1, line + size);
    atomic_store(&standing, log_stream_write(line, size, 0));
}

static void progress_line_start(const struct progress *now, int64_t now_ns)
{
    work.begun_ns = now_ns;
    work.next_ns = now_ns + FIRST_NS;
    work.doing = now->doing;
}

static void progress_line_watch(const struct progress *now)
{
    if (now == NULL) {
        if (is_mine) {
            progress_line_make_room();
            is_mine = false;
            atomic_flag_clear(&taken);
        }
        return;
    }
    bool is_new = !is_mine;
    if (is_new && atomic_flag_test_and_set(&taken))
        return;
    is_mine = true;
    int64_t now_ns = clock_monotonic_ns();
    if (is_new || now->doing != work.doing)
        progress_line_start(now, now_ns);
    if (now_ns < work.next_ns)
        return;
    work.next_ns = now_ns + NEXT_NS;
    show(now, now_ns);
}

void progress_line_begin(void)
{
    if (terminal_columns() != 0)
        progress_watch(progress_line_watch);
}

void progress_line_end(void)
{
    progress_watch(NULL);
    progress_line_make_room();
}
