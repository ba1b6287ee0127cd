/*
 * The thread of one capture that serves as a listener: it reads the file's datagrams and passes
 * them on the way that a socket's take, waiting for room so that nothing is lost. Before it waits
 * for the writer of a live capture (a pipe), it hands on all that has come.
 *
 * Lifecycle: create (the file is open and, unless it is live, its header read), start, stop or wait
 * for its end, join, destroy. Main thread, except where another is named.
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
    struct ingest_thread
        *thread; /* the caller's, outlives the player; `fan_out` is set before start */
    const struct listener *listener;
    const char *path;
    uint16_t port; /* the destination port wanted, 0: any */

    /*
     * Called from the player's thread after each datagram. May be NULL.
     */
    void (*received)(void *context, size_t datagrams);
    /* Called once from the player's thread: it has done all it will do. */
    void (*finished)(void *context);
    void *context;
};

/* Opens the capture. Returns 0, or -1 with `error` filled (EXIT_CODE_BAD_INPUT). */
int capture_player_create(struct capture_player **out, const struct capture_player_options *options,
                          struct error *error);

/* Returns 0, or -1 with `error` filled. */
int capture_player_start(struct capture_player *player, struct error *error);

/*
 * Any thread: read no further, nor wait for what a pipe's writer has not written; what was read may
 * wait for room until `deadline_ns` (monotonic).
 * Calling it again brings the deadline forward.
 */
void capture_player_stop(struct capture_player *player, int64_t deadline_ns);

/* Any thread. */
bool capture_player_has_finished(const struct capture_player *player);

/* After it has finished: the file was damaged, as the log said. */
bool capture_player_was_damaged(const struct capture_player *player);

void capture_player_join(struct capture_player *player);

/* Frees it, after the join or instead of the start. NULL is allowed. */
void capture_player_destroy(struct capture_player *player);

#endif
