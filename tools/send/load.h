/*
 * Sends the datagrams that were asked for, and counts what it sent.
 *
 * One thread and any number of sources: each has a socket with a port of its own, a sender_id, a
 * boot_id and a sequence of numbers. They take turns, datagram by datagram. Only good datagrams
 * take a number, so that what a collector finds missing in the numbers was lost.
 */
#ifndef SLUICE_TOOLS_SEND_LOAD_H
#define SLUICE_TOOLS_SEND_LOAD_H

#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "tools/send/message.h"
#include "tools/send/mix.h"

struct load_plan {
    struct address destination;
    const struct message_shape *shape;
    struct text given;  /* of message_given, its bytes */
    const char *sender; /* what the sources' sender_ids begin with, SENDER_SIZE_MAX bytes at most */
    uint64_t rate;      /* datagrams per second; 0: as fast as possible */
    uint64_t count;     /* datagrams; 0: no limit but the duration */
    uint64_t duration_ns; /* 0: no limit but the count */
    uint64_t sources;
    uint64_t samples; /* of message_given 0: nobody knows */
    uint64_t size;    /* bytes of a good datagram; 0: as it comes */
    uint64_t burst;   /* datagrams due together */
    struct share shares[DATAGRAM_GOOD];
};

#define SENDER_SIZE_MAX  64
#define LOAD_SOURCES_MAX 65535

struct load_counts {
    uint64_t sent[DATAGRAM_KINDS];
    uint64_t bytes;   /* of all that were sent */
    uint64_t samples; /* in the good ones that were sent */
    uint64_t failed;  /* given up: the system would not send them */
    uint64_t retried; /* attempts that failed and were made again */
    uint64_t refused; /* of those sent, reported as refused: nobody listens at the port */
    int64_t elapsed_ns;
};

/* Datagrams of all kinds that were sent. */
uint64_t load_sent(const struct load_counts *counts);

/*
 * Sends until the plan is fulfilled or the program is asked to stop, and fills *counts, also on
 * failure. Returns 0, or -1 with `error` filled: nothing was sent because the plan is impossible
 * (EXIT_CODE_USAGE), there is no way to the destination (EXIT_CODE_CANNOT_BIND) or no memory
 * (EXIT_CODE_INTERNAL); or some datagrams failed (EXIT_CODE_IO), the error being the last one's; or
 * all were refused (EXIT_CODE_NOT_REACHED).
 */
int load_run(const struct load_plan *plan, struct load_counts *counts, struct error *error);

#endif
