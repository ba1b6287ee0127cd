/*
 * Reads the UDP datagrams of a capture, from a file or from a pipe that another program writes to.
 *
 * Supports pcap and pcapng, both byte orders, micro- and nanosecond times; link types Ethernet
 * (with VLAN and QinQ tags), raw IP, null/loopback, Linux cooked v1 and v2; IPv4 and IPv6;
 * datagrams reassembled from IP fragments in any order. libpcap is not used: it cannot be linked
 * statically on every platform, and it refuses pcapng files whose interfaces differ in link type.
 *
 * Lifecycle: open, next until it returns no datagram, close. A capture belongs to one thread, but
 * any thread may cancel it. Memory is bounded: a frame has at most 256 KiB, and a fixed number of
 * datagrams are under reassembly. If a new datagram needs a slot, the oldest one is dropped as
 * incomplete. A datagram is also dropped if a fragment with the same identification is more than a
 * minute older or newer, because IPv4 senders reuse their 65,536 identifications.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_CAPTURE_H
#define SLUICE_COLLECTOR_CAPTURE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct capture;

/* One UDP payload. */
struct capture_datagram {
    const uint8_t *data; /* owned by the capture; valid until its next call */
    size_t size;         /* bytes, 0 to 65,535 */
    struct address source;
    struct address destination;
    /*
     * Time of the frame in nanoseconds since 1970 UTC, or 0 if the frame has none. For a
     * reassembled datagram, the time of the frame that completed it.
     */
    int64_t time_ns;
};

/*
 * The number of frames by outcome. After capture_next has returned CAPTURE_END or CAPTURE_DAMAGED:
 *   frames = whole + fragments + other + cut
 *   datagrams returned = whole + reassembled
 * Before that, the frames of datagrams under reassembly are counted only in `frames`.
 */
struct capture_counts {
    uint64_t frames;      /* frames read from the file */
    uint64_t whole;       /* frames with a whole datagram that was returned */
    uint64_t fragments;   /* frames with a part of a datagram that was returned or is incomplete */
    uint64_t reassembled; /* returned datagrams that were reassembled from fragments */
    uint64_t other;       /* frames that are not UDP, not to the port, or not valid IP or UDP */
    uint64_t cut;         /* frames that lack bytes because of the snapshot length */
    uint64_t incomplete;  /* datagrams that lack a fragment, or whose fragments clash */
};

enum capture_result {
    CAPTURE_DATAGRAM, /* a datagram was returned */
    CAPTURE_END,      /* the file ended after a whole record, or the reading was ended */
    CAPTURE_DAMAGED,  /* the file ends within a record, or is invalid from here on; see `error` */
};

/*
 * Opens `path` and reads its header. `port` is the wanted UDP destination port; 0: all ports.
 * Returns 0 and the capture in *out, which the caller closes, or -1 with `error` filled
 * (EXIT_CODE_BAD_INPUT: no such file, not a capture file, or an unsupported link type).
 *
 * Opening never waits: the header of a live file (a pipe or terminal,
 * collector/platform/input_file.h) is read by the first capture_next, which reports an invalid
 * header as damage.
 */
int capture_open(const char *path, uint16_t port, struct capture **out, struct error *error);

/*
 * Checks whether capture_open would succeed; returns 0, or -1 with `error` filled. A live file is
 * not opened, because its writer would start to write bytes that are then lost.
 */
int capture_check(const char *path, struct error *error);

/*
 * Registers `waiting`, which capture_next calls each time before it waits for the writer of a live
 * file. Call it before the first capture_next.
 */
void capture_on_wait(struct capture *capture, void (*waiting)(void *context), void *context);

/*
 * Returns the next datagram, in the order in which datagrams became complete. Waits for the writer
 * of a live file. After CAPTURE_END or CAPTURE_DAMAGED every further call returns the same result,
 * and datagrams under reassembly are counted as incomplete.
 */
enum capture_result capture_next(struct capture *capture, struct capture_datagram *datagram,
                                 struct error *error);

/*
 * Ends the capture early, as if the file had ended; datagrams under reassembly are counted as
 * incomplete.
 */
void capture_end(struct capture *capture);

/*
 * Any thread, and signal handlers: ends the capture, and wakes a waiting capture_next. Datagrams in
 * bytes that were already read are still returned; a partly read record is dropped.
 */
void capture_cancel(struct capture *capture);

/*
 * Reports how much of the file has been read (collector/base/progress.h), with the verb `doing` and
 * the name `name`; both strings must live until the capture is closed. Called by the thread that
 * calls capture_next.
 */
void capture_report_progress(const struct capture *capture, const char *doing, const char *name);

/* Returns the counts so far. */
const struct capture_counts *capture_counts(const struct capture *capture);

/* Closes and frees the capture; NULL is allowed. */
void capture_close(struct capture *capture);

#endif
