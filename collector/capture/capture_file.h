/*
 * Reads a capture file as a sequence of frames, independent of the file's format.
 *
 * The formats are pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng); the first
 * bytes of the file show which. One thread per file, unless a function says otherwise.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_CAPTURE_FILE_H
#define SLUICE_COLLECTOR_CAPTURE_CAPTURE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/*
 * The most bytes of a frame: the largest snapshot length that libpcap's tools write for Ethernet.
 */
#define CAPTURE_FRAME_MAX ((size_t)256 * 1024)

struct capture_file;

/* One frame of the file. */
struct capture_frame {
    const uint8_t *data; /* owned by the file; valid until its next call */
    size_t captured;     /* bytes at `data`, at most CAPTURE_FRAME_MAX */
    size_t length;       /* bytes on the wire, never less than `captured` */
    uint32_t link_type;  /* LINKTYPE_ value of the interface; see link_layer.h */
    int64_t time_ns;     /* since 1970 UTC; 0 if the frame has no time */
};

enum capture_file_result {
    CAPTURE_FILE_FRAME,   /* the frame is filled */
    CAPTURE_FILE_END,     /* the file ended after a whole record or block, or was cancelled */
    CAPTURE_FILE_DAMAGED, /* `error` has the offset and the reason; do not read further */
};

/*
 * Opens `path` and reads its header. Opening never waits: the header of a live file
 * (collector/platform/input_file.h) is read by the first capture_file_next. Returns 0 and the file
 * in *out, or -1 with `error` filled: the file cannot be read, is empty, has an unknown format or
 * an invalid header, or (pcap) an unsupported link type.
 */
int capture_file_open(const char *path, struct capture_file **out, struct error *error);

/*
 * Checks whether capture_file_open would succeed; returns 0, or -1 with `error` filled. A live file
 * is not opened.
 */
int capture_file_check(const char *path, struct error *error);

/* Registers `waiting`, which the reading thread calls each time before it waits for a live file. */
void capture_file_on_wait(struct capture_file *file, void (*waiting)(void *context), void *context);

/*
 * The number of bytes read so far, and the size of the file when it was opened (0 for a live file).
 */
struct capture_position {
    uint64_t done, total;
};
struct capture_position capture_file_position(const struct capture_file *file);

/* Reads the next frame. Must not be called after a result other than CAPTURE_FILE_FRAME. */
enum capture_file_result capture_file_next(struct capture_file *file, struct capture_frame *frame,
                                           struct error *error);

/* Ends the reading, and wakes a waiting read. Any thread, and signal handlers. */
void capture_file_cancel(struct capture_file *file);

/* Closes and frees the file; NULL is allowed. */
void capture_file_close(struct capture_file *file);

#endif
