/* The state of an ingest, shared by the files that handle its datagrams. */
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
    struct open_batch *into;       /* batch being filled: `own`, or a shared batch of the thread */
    struct open_datagram *in_hand; /* the datagram being handled, or NULL */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender;       /* sender of the last datagram */
    struct assembly *assembly;           /* NULL if no schema of the listener has segments */
    struct unsealing *unsealing;         /* NULL if datagrams are not sealed */
    struct decrypting *decrypting;       /* NULL if the listener is not DTLS */
    struct log_limit logs[REASON_COUNT]; /* limits of the log lines about refusals, by reason */
};

#endif
