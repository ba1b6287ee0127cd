#include "tests/simulation/history.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/simulation/world.h"

struct history *history;

void history_create(void)
{
    history = mmap(NULL, sizeof *history, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (history == MAP_FAILED)
        world_fail("no memory for a history");
}

/* What was never written takes no time to be cleared. */
static void clear_delivered(struct delivered *delivered)
{
    memset(delivered->arrived, 0, history->sent_count * sizeof delivered->arrived[0]);
    memset(delivered->settled, 0, history->sent_count * sizeof delivered->settled[0]);
    memset(delivered->doubtful, 0, history->sent_count * sizeof delivered->doubtful[0]);
    memset(delivered->owed, 0, history->sent_count * sizeof delivered->owed[0]);
    memset(delivered->on_disk, 0, history->sent_count * sizeof delivered->on_disk[0]);
    memset(delivered->ids, 0, history->sent_count * sizeof delivered->ids[0]);
    memset(delivered->latest, 0, sizeof delivered->latest);
}

void history_clear(void)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++)
        clear_delivered(&history->delivered[i]);
    memset(history, 0, offsetof(struct history, pipe));
    history->pipe_size = history->log_size = 0;
}

void history_begin_life(void)
{
    history->life++;
    history->end = LIFE_GOES_ON;
    history->drops = history->left_behind = history->faults = 0;
    history->reloads = 0;
    history->stopped_twice = false;
    history->pipe_size = 0;
    history->pipe_broken = false;
    history->log_size = 0;
    for (size_t i = 0; i < HISTORY_SINKS; i++) {
        struct delivered *delivered = &history->delivered[i];
        delivered->acknowledged = delivered->rejected = delivered->too_large = 0;
        delivered->denied = delivered->refused_in_doubt = 0;
        delivered->known_duplicates = delivered->certain_duplicates = 0;
        memset(delivered->doubtful, 0, history->sent_count * sizeof delivered->doubtful[0]);
    }
}

void history_log(const char *bytes, size_t size)
{
    if (size > HISTORY_LOG - history->log_size - 1)
        world_fail("too much is logged: %.200s", bytes);
    memcpy(history->log + history->log_size, bytes, size);
    history->log_size += size;
    history->log[history->log_size] = '\0';
}

void history_read_from_pipe(const uint8_t *bytes, size_t size)
{
    if (size > HISTORY_PIPE - history->pipe_size)
        world_fail("too much is written to the pipe");
    memcpy(history->pipe + history->pipe_size, bytes, size);
    history->pipe_size += size;
}
