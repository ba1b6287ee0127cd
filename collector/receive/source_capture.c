/* Implements pcap:FILE: a thread reads the capture, and waits for room in the queues. */
#include "collector/capture/capture.h"
#include "collector/receive/capture_player.h"
#include "collector/receive/sources.h"

static int capture_probe(const struct listener_config *listener, struct error *error)
{
    return capture_check(listener->place, error);
}

static int capture_create(void **producer, struct source *source, struct ingest_thread *thread,
                          const struct source_host *host, struct error *error)
{
    struct capture_player *player = NULL;
    const struct capture_player_options options = {
        .thread = thread,
        .listener = &source->listener,
        .path = source->config->place,
        .port = (uint16_t)source->config->port,
        .received = host->received,
        .finished = host->finished,
        .context = host->context,
    };
    int result = capture_player_create(&player, &options, error);
    *producer = player;
    return result;
}

static int capture_start(void *producer, struct error *error)
{
    return capture_player_start(producer, error);
}

static void capture_stop(void *producer, int64_t deadline_ns)
{
    capture_player_stop(producer, deadline_ns);
}

static bool capture_has_finished(const void *producer)
{
    return capture_player_has_finished(producer);
}

static bool capture_was_damaged(const void *producer)
{
    return capture_player_was_damaged(producer);
}

static void capture_join(void *producer)
{
    capture_player_join(producer);
}

static void capture_destroy(void *producer)
{
    capture_player_destroy(producer);
}

static const struct producer_ops player_ops = {
    .start = capture_start,
    .stop = capture_stop,
    .has_finished = capture_has_finished,
    .was_damaged = capture_was_damaged,
    .join = capture_join,
    .destroy = capture_destroy,
};

const struct source_ops source_capture = {
    .scheme = "pcap",
    .syntax = "pcap:FILE",
    .kind = "capture",
    .place = PLACE_PATH,
    .no_place = "the file is missing; write pcap:FILE",
    .keys = SOURCE_KEYS_CAPTURE,
    .ends = true,
    .waits = true,
    .probe = capture_probe,
    .producer = &player_ops,
    .create = capture_create,
    .own_thread = "a capture has a thread of its own",
    .no_change = "a capture's keys can only be changed by a restart",
    .no_arrival = "a capture can only be added by a restart",
    .no_departure = "a capture is always read to its end",
};
