/*
 * Sends the requested datagrams and counts them.
 *
 * One thread sends for any number of sources. Each source has a socket on its own port, a
 * sender_id, a boot_id and its own sequence numbers. The sources take turns, datagram by datagram.
 * Only good datagrams have a number, so each number that a collector misses belongs to a lost
 * datagram.
 */
#ifndef SLUICE_TOOLS_SEND_LOAD_H
#define SLUICE_TOOLS_SEND_LOAD_H

#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "tools/send/message.h"
#include "tools/send/mix.h"
#include "tools/sending/sealing.h"

struct load_plan {
    struct address destination;
    const struct message_shape *shape;
    struct text given;    /* the bytes that message_given sends */
    const char *sender;   /* prefix of the sources' sender_ids, at most SENDER_SIZE_MAX bytes */
    uint64_t rate;        /* datagrams per second; 0: as fast as possible */
    uint64_t count;       /* number of datagrams; 0: limited only by the duration */
    uint64_t duration_ns; /* 0: limited only by the count */
    uint64_t sources;
    uint64_t samples; /* metrics in a message; 0 for message_given, where it is unknown */
    uint64_t size;    /* size of a good datagram in bytes; 0: unpadded */
    uint64_t burst;   /* number of datagrams that are due together */
    struct share shares[DATAGRAM_GOOD];
    struct sealing_settings sealing;
};

#define SENDER_SIZE_MAX  64
#define LOAD_SOURCES_MAX 65535

struct load_counts {
    uint64_t sent[DATAGRAM_KINDS];
    uint64_t bytes;   /* bytes of all datagrams that were sent, as they were sent */
    uint64_t samples; /* samples in the good datagrams that were sent */
    uint64_t failed;  /* datagrams that the system still refused to send after all attempts */
    uint64_t retried; /* failed attempts that were repeated */
    uint64_t refused; /* sent datagrams with a report that the port is closed */
    int64_t elapsed_ns;
};

/* Returns the number of datagrams of all kinds that were sent. */
uint64_t load_sent(const struct load_counts *counts);

/*
 * Sends until the plan is complete or the program is asked to stop. Fills *counts, also on failure.
 * Returns 0, or -1 with `error` filled. Before the first datagram: the plan is impossible
 * (EXIT_CODE_USAGE), the datagrams cannot be sealed (EXIT_CODE_CONFIG), there is no route to the
 * destination (EXIT_CODE_CANNOT_BIND), or out of memory (EXIT_CODE_INTERNAL). After sending: some
 * datagrams failed, and `error` is that of the last one (EXIT_CODE_IO); or all datagrams were
 * refused (EXIT_CODE_NOT_REACHED).
 */
int load_run(const struct load_plan *plan, struct load_counts *counts, struct error *error);

#endif
