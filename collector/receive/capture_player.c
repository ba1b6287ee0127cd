#include "collector/receive/capture_player.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/progress.h"
#include "collector/base/rule.h"
#include "collector/capture/capture.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"

/* The number of datagrams between two updates of the sinks, the ledger and the progress. */
#define TAKEN_AT_ONCE 32

struct capture_player {
    struct capture_player_options options;
    struct capture *capture;
    struct ingest *ingest;
    struct thread *thread;
    unsigned taken;
    _Atomic bool stopping;
    _Atomic bool finished;
    _Atomic bool damaged;
};

static void publish_counts(struct capture_player *player)
{
    const struct capture_counts *counts = capture_counts(player->capture);
    struct ingest_counters *counters = ingest_counters(player->ingest);
    counter_set(&counters->frames, counts->frames);
    counter_set(&counters->fragments, counts->fragments);
    counter_set(&counters->reassembled, counts->reassembled);
    counter_set(&counters->other, counts->other);
    counter_set(&counters->cut, counts->cut);
    counter_set(&counters->incomplete, counts->incomplete);
}

/*
 * Publishes the counts and hands all records to the sinks before a wait, because the writer of a
 * live capture may pause for any time.
 */
static void before_wait(void *context)
{
    struct capture_player *player = context;
    publish_counts(player);
    ingest_seal(player->ingest);
}

int capture_player_create(struct capture_player **out, const struct capture_player_options *options,
                          struct error *error)
{
    struct capture_player *player = calloc(1, sizeof *player);
    if (player != NULL)
        player->ingest = ingest_create(options->thread, options->listener,
                                       options->thread->counters[options->listener->index]);
    if (player == NULL || player->ingest == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a capture");
        free(player);
        return -1;
    }
    player->options = *options;
    if (capture_open(options->path, options->port, &player->capture, error) != 0) {
        capture_player_destroy(player);
        return -1;
    }
    capture_on_wait(player->capture, before_wait, player);
    *out = player;
    return 0;
}

static void update_sinks(struct capture_player *player)
{
    player->taken = 0;
    ingest_drained(player->ingest, 0, 0);
    publish_counts(player);
    capture_report_progress(player->capture, "reading", player->options.path);
}

/* Handles a datagram of the capture. If the capture has no times, the time of reading is used. */
static void play_datagram(struct capture_player *player, const struct capture_datagram *datagram)
{
    bool split = datagram->size > DATAGRAM_FRONT_SIZE;
    struct datagram_slot slot = {
        .front = datagram->data,
        .rest = split ? datagram->data + DATAGRAM_FRONT_SIZE : NULL,
        .size = (uint32_t)datagram->size,
        .sent_size = (uint32_t)datagram->size,
        .source = datagram->source,
        .destination = &datagram->destination,
        .received_ns = datagram->time_ns != 0 ? datagram->time_ns : clock_wall_ns(),
    };
    ingest_take(player->ingest, &slot);
    if (++player->taken == TAKEN_AT_ONCE)
        update_sinks(player);
    if (player->options.received != NULL)
        player->options.received(player->options.context, 1);
}

static void warn_if_nothing_came(const struct capture_player *player)
{
    const struct capture_counts *counts = capture_counts(player->capture);
    if (counts->frames == 0 || counts->whole + counts->reassembled != 0)
        return;
    char port[32] = "";
    if (player->options.port != 0)
        snprintf(port, sizeof port, " to port %u", (unsigned)player->options.port);
    log_about(LOG_WARNING, LOG_OF_LISTENER, player->options.listener->name,
              "%" PRIu64 " frames, but no UDP datagram%s", counts->frames, port);
}

static void play_capture(void *argument)
{
    struct capture_player *player = argument;
    struct capture_datagram datagram;
    struct error error;
    enum capture_result result = CAPTURE_DATAGRAM;
    while (result == CAPTURE_DATAGRAM) {
        if (atomic_load_explicit(&player->stopping, memory_order_relaxed))
            capture_end(player->capture);
        result = capture_next(player->capture, &datagram, &error);
        if (result == CAPTURE_DATAGRAM)
            play_datagram(player, &datagram);
    }
    progress_end();
    publish_counts(player);
    if (result == CAPTURE_DAMAGED) {
        log_line(LOG_ERROR, "%s", error.text);
        atomic_store(&player->damaged, true);
    }
    warn_if_nothing_came(player);
    ingest_finish(player->ingest);
    ingest_thread_close(player->options.thread);
    fan_out_close(player->options.thread->fan_out);
    atomic_store(&player->finished, true);
    player->options.finished(player->options.context);
}

int capture_player_start(struct capture_player *player, struct error *error)
{
    RULE(player->thread == NULL, "a capture starts once");
    return thread_start(&player->thread, "capture", play_capture, player, error);
}

void capture_player_stop(struct capture_player *player, int64_t deadline_ns)
{
    atomic_store(&player->stopping, true);
    capture_cancel(player->capture);
    fan_out_set_deadline(player->options.thread->fan_out, deadline_ns);
}

bool capture_player_has_finished(const struct capture_player *player)
{
    return atomic_load(&player->finished);
}

bool capture_player_was_damaged(const struct capture_player *player)
{
    return atomic_load(&player->damaged);
}

void capture_player_join(struct capture_player *player)
{
    thread_join(player->thread);
    player->thread = NULL;
}

void capture_player_destroy(struct capture_player *player)
{
    if (player == NULL)
        return;
    RULE(player->thread == NULL, "a capture is joined before it is destroyed");
    capture_close(player->capture);
    ingest_destroy(player->ingest);
    free(player);
}
