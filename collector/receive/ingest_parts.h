/*
 * The state of an ingest: only for the files that handle its datagrams.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INGEST_PARTS_H
#define SLUICE_COLLECTOR_RECEIVE_INGEST_PARTS_H

#include "collector/log/log.h"
#include "collector/receive/assembly.h"
#include "collector/receive/ingest.h"
#include "collector/record/mismatch_hint.h"

struct open_datagram;
struct unsealing;
struct decrypting;

struct ingest {
    struct ingest_thread *thread;
    const struct listener *listener;
    struct ingest_counters *counters;
    struct open_batch own;
    struct open_batch *into; /* the batch being filled: `own`, or a shared batch of the thread */
    struct open_datagram *in_hand; /* the datagram that is handled now; NULL: none */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender;       /* the sender of the last datagram */
    struct assembly *assembly;           /* NULL: no schema of the listener has segments */
    struct unsealing *unsealing;         /* NULL: its datagrams are not sealed */
    struct decrypting *decrypting;       /* NULL: its listener is not DTLS */
    struct log_limit logs[REASON_COUNT]; /* limit the log lines about refused datagrams, for each
                                            reason */
};

#endif
