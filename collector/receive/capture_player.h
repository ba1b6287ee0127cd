/*
 * The thread that plays a capture as a listener. It reads datagrams from the file and handles them
 * as the thread of a socket does. It waits for room in the queues, so that no datagram is lost.
 * Before it waits for the writer of a live capture (a pipe), it hands all records to the sinks.
 *
 * Lifecycle: create (opens the file and, unless the capture is live, reads its header), start, stop
 * or wait for its end, join, destroy. Functions are for the main thread, unless another thread is
 * named.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_CAPTURE_PLAYER_H
#define SLUICE_COLLECTOR_RECEIVE_CAPTURE_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/receive/ingest.h"

struct capture_player;

struct capture_player_options {
    /*
     * The data of the player's thread. The caller owns it, sets `fan_out` before the start, and
     * keeps it longer than the player.
     */
    struct ingest_thread *thread;
    const struct listener *listener;
    const char *path;
    uint16_t port; /* destination port of the datagrams to play; 0 means any port */

    /*
     * Called from the player's thread after each datagram. May be NULL.
     */
    void (*received)(void *context, size_t datagrams);
    /* Called once from the player's thread, when it has finished. */
    void (*finished)(void *context);
    void *context;
};

/* Opens the capture. Returns 0, or -1 with `error` filled (EXIT_CODE_BAD_INPUT). */
int capture_player_create(struct capture_player **out, const struct capture_player_options *options,
                          struct error *error);

/* Returns 0, or -1 with `error` filled. */
int capture_player_start(struct capture_player *player, struct error *error);

/*
 * Any thread: stops reading, even while the player waits for the writer of a pipe. Datagrams that
 * were already read may wait for room until `deadline_ns` (monotonic). A further call can only
 * bring the deadline forward.
 */
void capture_player_stop(struct capture_player *player, int64_t deadline_ns);

/* Any thread: returns true if the player's thread has finished. */
bool capture_player_has_finished(const struct capture_player *player);

/*
 * Returns true if the file was damaged, which was logged. Call this after the player has finished.
 */
bool capture_player_was_damaged(const struct capture_player *player);

void capture_player_join(struct capture_player *player);

/* Frees the player, after the join or instead of the start. NULL is allowed. */
void capture_player_destroy(struct capture_player *player);

#endif
