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

/* Clears only the used parts, because that is faster. */
static void clear_delivered(struct delivered *delivered)
{
    memset(delivered->arrived, 0, history->sent_count * sizeof delivered->arrived[0]);
    memset(delivered->first_life, 0, history->sent_count * sizeof delivered->first_life[0]);
    memset(delivered->forgets, 0, sizeof delivered->forgets);
    memset(delivered->settled, 0, history->sent_count * sizeof delivered->settled[0]);
    memset(delivered->maybe_sent, 0, history->sent_count * sizeof delivered->maybe_sent[0]);
    memset(delivered->handed_ns, 0, history->sent_count * sizeof delivered->handed_ns[0]);
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
    history->epoch = 0;
    history->openings++;
    memset(history->plain, 0, sizeof history->plain);
    memset(history->rotated, 0, sizeof history->rotated);
    history->stopped_twice = false;
    history->pipe_size = 0;
    history->pipe_broken = false;
    history->log_size = 0;
    /* Otherwise a log line of an earlier life would be taken for the outcome of a reload. */
    history->log[0] = '\0';
    for (size_t i = 0; i < HISTORY_SINKS; i++) {
        struct delivered *delivered = &history->delivered[i];
        delivered->acknowledged = delivered->rejected = delivered->too_large = 0;
        delivered->denied = delivered->refused_in_doubt = 0;
        delivered->known_duplicates = delivered->certain_duplicates = 0;
        delivered->connections = 0;
        memset(delivered->maybe_sent, 0, history->sent_count * sizeof delivered->maybe_sent[0]);
        memset(delivered->handed_ns, 0, history->sent_count * sizeof delivered->handed_ns[0]);
    }
}

/* --- the sinks of each configuration ---------------------------------------------------------- */

void history_note_sink(unsigned sink, unsigned configuration, bool has)
{
    uint16_t *mask = &history->has_sink[history->life][sink];
    if (configuration >= 16)
        world_fail("a life has more than 16 configurations");
    *mask = (uint16_t)((*mask & ~(1u << configuration)) | (unsigned)has << configuration);
}

/*
 * Returns a bit for each configuration that the program may have had when it received the datagram.
 */
static unsigned configurations_of(const struct sent *sent)
{
    unsigned first = sent->epoch / 2u;
    unsigned last = sent->last_epoch == HISTORY_OPEN ? 15 : (sent->last_epoch + 1) / 2u;
    return (2u << last) - (1u << first);
}

bool history_may_have(unsigned sink, uint32_t number)
{
    const struct sent *sent = &history->sent[number];
    return number < history->sent_count && sent->received && sent->is_good &&
           (history->has_sink[sent->life][sink] & configurations_of(sent)) != 0;
}

bool history_must_have(unsigned sink, uint32_t number)
{
    const struct sent *sent = &history->sent[number];
    unsigned configurations = configurations_of(sent);
    return sent->received && sent->is_good &&
           (history->has_sink[sent->life][sink] & configurations) == configurations;
}

bool history_always_had(unsigned sink)
{
    unsigned all = (2u << (history->epoch + 1) / 2) - 1;
    return (history->has_sink[history->life][sink] & all) == all;
}

bool history_ever_had(unsigned sink)
{
    return history->has_sink[history->life][sink] != 0;
}

bool history_is_settled(void)
{
    return history->epoch % 2 == 0;
}

/* --- the outcome of a datagram ---------------------------------------------------------------- */

bool history_note_arrival(unsigned sink, uint32_t number, bool once)
{
    struct delivered *delivered = &history->delivered[sink];
    if (delivered->arrived[number]++ == 0) {
        delivered->first_life[number] = (uint8_t)history->life;
        return true;
    }
    if (once)
        world_fail("sink %u has datagram %u twice", sink, number);
    return false;
}

/* Returns true if each life since the first arrival has noted on disk that the record was sent. */
static bool is_noted(const struct delivered *delivered, uint32_t number)
{
    for (unsigned life = delivered->first_life[number]; life < history->life; life++)
        if (delivered->forgets[life])
            return false;
    return true;
}

void history_note_acknowledged(unsigned sink, uint32_t number)
{
    struct delivered *delivered = &history->delivered[sink];
    delivered->settled[number] = true;
    delivered->acknowledged++;
    delivered->known_duplicates += delivered->maybe_sent[number];
    delivered->certain_duplicates += delivered->arrived[number] > 1 && is_noted(delivered, number);
}

void history_note_refused(unsigned sink, uint32_t number, enum delivery_reason reason)
{
    struct delivered *delivered = &history->delivered[sink];
    delivered->settled[number] = true;
    if (delivered->maybe_sent[number])
        delivered->refused_in_doubt++;
    else if (reason == DELIVERY_REJECTED)
        delivered->rejected++;
    else if (reason == DELIVERY_TOO_LARGE)
        delivered->too_large++;
    else
        delivered->denied++;
}

/* --- logs and pipes --------------------------------------------------------------------------- */

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
