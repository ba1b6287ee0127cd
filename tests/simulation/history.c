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

void history_clear(void)
{
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
