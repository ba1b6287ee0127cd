/*
 * What an ingest consists of: for the files that handle its datagrams, and nobody else.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INGEST_PARTS_H
#define SLUICE_COLLECTOR_RECEIVE_INGEST_PARTS_H

#include "collector/log/log.h"
#include "collector/receive/assembly.h"
#include "collector/receive/ingest.h"
#include "collector/record/mismatch_hint.h"

struct open_datagram;

struct ingest {
    struct ingest_thread *thread;
    const struct listener *listener;
    struct ingest_counters *counters;
    struct open_batch own;
    struct open_batch *into; /* what it fills: its own, or one of the thread's */
    struct open_datagram *in_hand; /* being handled, with the batch; NULL: none is */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender; /* of the last datagram */
    struct assembly *assembly;     /* NULL: its messages have no segments */
    struct log_limit log;          /* of the lines about refused datagrams */
};

#endif
