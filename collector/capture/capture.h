/*
 * Reads the UDP datagrams out of a capture file, or out of a pipe that another program writes one
 * into.
 *
 * pcap and pcapng, both byte orders, micro- and nanosecond times; link types Ethernet (with VLAN
 * and QinQ tags), raw IP, null/loopback, Linux cooked v1 and v2; IPv4 and IPv6; datagrams
 * reassembled from IP fragments in any order. The same code on every platform, without libpcap:
 * that library does not link statically everywhere and refuses pcapng files whose interfaces
 * differ in link type.
 *
 * Lifecycle: open, next until it is no datagram, close. A capture belongs to one thread, except
 * that any other may cancel it. Memory is bounded whatever the file says: one frame of at most 256
 * KiB and a fixed number of datagrams under reassembly, the oldest given up (as incomplete) when a
 * further one begins. One is also given up when a fragment of the same identification comes more
 * than a minute off: a sender has only 65,536 of them for IPv4 and begins again.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_CAPTURE_H
#define SLUICE_COLLECTOR_CAPTURE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

struct capture;

/* One UDP payload, as the network carried it. */
struct capture_datagram {
    const uint8_t *data; /* the capture's own; valid until its next call */
    size_t size;         /* bytes, 0 to 65,535 */
    struct address source;
    struct address destination;
    int64_t time_ns; /* of the (last) frame, nanoseconds since 1970 UTC; 0: none stored */
};

/*
 * What became of every frame. Once capture_next has returned CAPTURE_END or CAPTURE_DAMAGED:
 *   frames = whole + fragments + other + cut
 *   datagrams handed out = whole + reassembled
 * Until then, frames whose datagram is under reassembly are in none but the first.
 */
struct capture_counts {
    uint64_t frames;      /* frames read from the file */
    uint64_t whole;       /* frames that carried a whole datagram, handed out */
    uint64_t fragments;   /* frames that carried part of a datagram handed out or incomplete */
    uint64_t reassembled; /* datagrams handed out that came in fragments */
    uint64_t other;       /* frames not UDP, not to the port, or no valid IP or UDP */
    uint64_t cut;         /* frames that the snapshot length cut short of their datagram */
    uint64_t incomplete;  /* datagrams that lack a fragment, or whose parts clash */
};

enum capture_result {
    CAPTURE_DATAGRAM, /* *datagram is filled */
    CAPTURE_END,      /* the file ended where a record ends, or was cancelled */
    CAPTURE_DAMAGED,  /* it ends within a record or makes no sense from here on: `error` says */
};

/*
 * Opens `path` and reads its header. `port` is the UDP destination port wanted, or 0 for all.
 * Returns 0 and the capture in *out, or -1 with `error` filled (EXIT_CODE_BAD_INPUT): no such file,
 * no capture file, or a link type that is not supported. The caller closes it.
 *
 * Opening never waits: the header of a live file (collector/platform/input_file.h: a pipe, a
 * terminal) is read by the first capture_next, and what is wrong with it makes the capture damaged.
 */
int capture_open(const char *path, uint16_t port, struct capture **out, struct error *error);

/*
 * Whether it could be opened: returns as capture_open does. A live file is not opened for that,
 * because its writer would go on, into nothing.
 */
int capture_check(const char *path, struct error *error);

/*
 * Before the first capture_next: has `waiting` called, by the thread that calls capture_next, each
 * time before that waits for a live file's writer.
 */
void capture_on_wait(struct capture *capture, void (*waiting)(void *context), void *context);

/*
 * Gives the next datagram, in the order in which they became whole; that of a live file may have to
 * be waited for. After CAPTURE_END or CAPTURE_DAMAGED every further call returns the same, and what
 * was under reassembly is counted.
 */
enum capture_result capture_next(struct capture *capture, struct capture_datagram *datagram,
                                 struct error *error);

/*
 * Ends it early: from here on it is as if the file had ended, and what was under reassembly is
 * counted.
 */
void capture_end(struct capture *capture);

/*
 * Any thread, and a signal's handler: the same, as soon as what was read ahead is used up. It ends
 * a capture_next that waits; a record that has come in part is dropped.
 */
void capture_cancel(struct capture *capture);

/*
 * Reports how far it has been read (collector/base/progress.h), as what is `doing` with it and its
 * name, which live until it is closed. By the thread that calls capture_next.
 */
void capture_report_progress(const struct capture *capture, const char *doing, const char *name);

/* The counts so far. */
const struct capture_counts *capture_counts(const struct capture *capture);

/* Frees it; NULL is allowed. */
void capture_close(struct capture *capture);

#endif
