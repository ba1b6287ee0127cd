/*
 * The state of an ingest, for the files that handle its datagrams only.
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
    struct open_batch *into; /* the batch being filled: `own`, or one that the thread shares */
    struct open_datagram *in_hand; /* the datagram being handled; it owns the batch. NULL: none */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender; /* of the last datagram */
    struct assembly *assembly;     /* NULL: the listener has no schema with segments */
    struct log_limit log;          /* limits the log lines about refused datagrams */
};

#endif
