/*
 * Sends the requested datagrams and counts them.
 *
 * One thread sends for all sources in turn. Each source has a socket on its own port, a sender_id,
 * a boot_id and its own sequence numbers. Only good datagrams have a number, so each number that is
 * missing at a collector is a lost datagram.
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
    struct text given;    /* the bytes for message_given */
    const char *sender;   /* prefix of the sender_ids, at most SENDER_SIZE_MAX bytes */
    uint64_t rate;        /* datagrams a second; 0 means as fast as possible */
    uint64_t count;       /* number of datagrams; 0: limited only by the duration */
    uint64_t duration_ns; /* 0: limited only by the count */
    uint64_t sources;
    uint64_t samples; /* metrics in a message; 0 for message_given */
    uint64_t size;    /* bytes of a good datagram; 0: unpadded */
    uint64_t burst;   /* number of datagrams due together */
    struct share shares[DATAGRAM_GOOD];
    struct sealing_settings sealing;
};

#define SENDER_SIZE_MAX  64
#define LOAD_SOURCES_MAX 65535

struct load_counts {
    uint64_t sent[DATAGRAM_KINDS];
    uint64_t bytes;   /* of all sent datagrams, with their seals */
    uint64_t samples; /* in the sent good datagrams */
    uint64_t failed;  /* datagrams that the system refused in all attempts */
    uint64_t retried; /* failed attempts that were repeated */
    uint64_t refused; /* sent datagrams for which a closed port was reported */
    int64_t elapsed_ns;
};

/* Returns the number of sent datagrams of all kinds. */
uint64_t load_sent(const struct load_counts *counts);

/*
 * Sends until the plan is complete or the program must stop. Fills *counts, even on failure.
 * Returns 0, or -1 with `error` filled. Before the first datagram: the plan is impossible
 * (EXIT_CODE_USAGE), the datagrams cannot be sealed (EXIT_CODE_CONFIG), there is no route to the
 * destination (EXIT_CODE_CANNOT_BIND), or out of memory (EXIT_CODE_INTERNAL). After sending: some
 * datagrams failed, and `error` is that of the last one (EXIT_CODE_IO); or all datagrams were
 * refused (EXIT_CODE_NOT_REACHED).
 */
int load_run(const struct load_plan *plan, struct load_counts *counts, struct error *error);

#endif
