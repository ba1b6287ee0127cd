/*
 * Writes and reads the bytes of a state file (seal_state.h), which show which sealed datagrams an
 * earlier run accepted.
 *
 * While the program runs, images without windows are written again and again; their floors are
 * ahead of the accepted times. When the program has stopped, one image with all windows is written.
 * All bytes are checked before any of them is used: a damaged image is refused.
 *
 * Numbers have their least significant byte first:
 *
 *      0  magic "SLSEAL1" and a zero byte
 *      8  1: of a program that has stopped; 0: of one that runs (u32)
 *     12  number of keys (u32)
 *     16  floor of all keys that are not in the image (i64)
 *     24  keys: id (u64), floor (i64), number of sessions (u64); for each session its id, highest
 *         counter, latest time, floor (u64 each) and SEAL_WINDOW bits
 *    end  CRC-32C of the bytes before (u32)
 *
 * One thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_IMAGE_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/senders/seal_window.h"

/* --- writing ---------------------------------------------------------------------------------- */

/* A zeroed struct is an empty image. The caller frees `bytes`. */
struct seal_image {
    uint8_t *bytes;
    size_t size, room;
    uint32_t keys;
    bool no_memory; /* out of memory: the image is incomplete */
};

/* Begins a new image. It reuses the memory of the previous one. */
void seal_image_begin(struct seal_image *image, bool stopped, int64_t floor_ns);

/* Adds a key with its floor and without sessions. */
void seal_image_add_floor(struct seal_image *image, uint64_t id, int64_t floor_ns);

/* Adds a key with its sessions. Their windows must have SEAL_WINDOW counters. */
void seal_image_add(struct seal_image *image, uint64_t id, const struct seal_sessions *sessions);

/* Ends the image. Returns false if memory was short in this call or an earlier one. */
bool seal_image_end(struct seal_image *image);

/* --- reading ---------------------------------------------------------------------------------- */

struct seal_image_reader {
    const uint8_t *bytes;
    size_t at, end;
    bool stopped;
    int64_t floor_ns;
    uint32_t left; /* number of keys that were not read yet */
};

/*
 * Returns NULL on success, or the reason for which the bytes are not an image, as a constant text.
 */
const char *seal_image_open(const uint8_t *bytes, size_t size, struct seal_image_reader *reader);

/* Reads the next key. Returns false after the last one. */
bool seal_image_next(struct seal_image_reader *reader, uint64_t *id,
                     struct seal_sessions *sessions);

#endif
