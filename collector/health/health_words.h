/*
 * The statuses and reasons of a health report, one row each. The report, `sluice explain` and the
 * manual are generated from these rows.
 *
 * To add a reason: add a row, and the code in health.c that finds it.
 */
#ifndef SLUICE_COLLECTOR_HEALTH_HEALTH_WORDS_H
#define SLUICE_COLLECTOR_HEALTH_HEALTH_WORDS_H

#include <stdbool.h>

/* STATUS(CONSTANT, name, serves, "what it means"); `serves`: senders may continue to send. */
#define HEALTH_STATUSES(STATUS)                                                                    \
    STATUS(READY, ready, true, "it receives, and nothing is wrong")                                \
    STATUS(DEGRADED, degraded, true,                                                               \
           "it receives, and there are reasons below; a restart would help none of them")          \
    STATUS(STUCK, stuck, false, "a receiving thread has not answered for --stall-timeout")         \
    STATUS(STOPPING, stopping, false, "it ends")

/* REASON(CONSTANT, name, "what it means, what to do"). */
#define HEALTH_REASONS(REASON)                                                                     \
    REASON(RECEIVER_STUCK, receiver_stuck,                                                         \
           "a receiving thread has not answered for so many seconds")                              \
    REASON(SINK_ENDED, sink_ended,                                                                 \
           "the sink has ended for good, as its reader has gone: start both again")                \
    REASON(SINK_FAILS, sink_fails,                                                                 \
           "the sink's destination fails and is tried again, or its command is away, for so many " \
           "seconds")                                                                              \
    REASON(SINK_WAITS, sink_waits,                                                                 \
           "the sink's destination has taken nothing of what is being written, or answered "       \
           "nothing of what it was sent, for so many seconds, --stall-timeout or more")            \
    REASON(SINK_BEHIND, sink_behind,                                                               \
           "the oldest record of a delivery has waited for its answer for so many seconds, "       \
           "--stall-timeout or more, while the far end takes others: it is slow, or was away")     \
    REASON(SPILL_FILLS, spill_fills,                                                               \
           "the sink's spill holds count bytes, four fifths of spill_size= or more: then the "     \
           "newest records are refused, or the oldest evicted")                                    \
    REASON(SPILL_FULL, spill_full,                                                                 \
           "records could not be stored in the sink's spill for so many seconds: it has its "      \
           "spill_size=, or its disk is full, has less than --min-free, or fails")                 \
    REASON(SPILL_KEPT, spill_kept,                                                                 \
           "the sink's spill holds count records of another format or for another kind of "        \
           "destination, topic or subject, which the sink cannot send: they stay there until a "   \
           "sink that fits has the folder, or sluice spill export takes them out")                 \
    REASON(SPILL_LEFT, spill_left,                                                                 \
           "a reload took the sink away, and count records stay in its spill, which no sink has "  \
           "now: configure one with that folder, or take them out with sluice spill export")       \
    REASON(KERNEL_DROPS, kernel_drops,                                                             \
           "the kernel dropped count datagrams of the listener in the last minute: raise "         \
           "receive_buffer=, or add receivers=")                                                   \
    REASON(GROUP_LOST, group_lost,                                                                 \
           "the listener's multicast group is not joined, as its interface has gone")              \
    REASON(NO_BUFFER, no_buffer,                                                                   \
           "no batch was free for count datagrams of the listener in the last minute: raise "      \
           "--memory, or have a faster sink")                                                      \
    REASON(RECORDS_REFUSED, records_refused,                                                       \
           "the sink's queues refused count records in the last minute: have a faster sink, or "   \
           "raise --memory")                                                                       \
    REASON(RECORDS_EVICTED, records_evicted,                                                       \
           "the sink's queues, or its spill, gave up count records for newer ones in the last "    \
           "minute")                                                                               \
    REASON(UNDECODABLE, undecodable,                                                               \
           "count datagrams of the listener could not be decoded in the last minute, 1 of 100 of " \
           "them or more, and at least 5: look at its reasons (truncated, no_match, empty, "       \
           "too_deep, too_large, malformed), and at the senders")                                  \
    REASON(ASSEMBLY_FULL, assembly_full,                                                           \
           "there was no room to hold count segments of the listener in the last minute: raise "   \
           "segment_memory=")                                                                      \
    REASON(SEGMENTS_MISSING, segments_missing,                                                     \
           "count segments of the listener were given up in the last minute, as others of their "  \
           "messages did not come within segment_timeout=: look for loss on the way")              \
    REASON(NUMBERS_LOST, numbers_lost,                                                             \
           "count datagrams that senders numbered did not come to the listener in the last "       \
           "minute, 1 of 100 of those that came or more, and at least 5: look for loss on the "    \
           "way")                                                                                  \
    REASON(CONNECTIONS_REFUSED, connections_refused,                                               \
           "count connections to the listener were refused in the last minute, as "                \
           "max_connections= were open or the system had no means for more")                       \
    REASON(CONNECTIONS_CUT, connections_cut,                                                       \
           "count connections to the listener ended in the last minute within a frame, or for a "  \
           "frame, a content type or TLS that is not right, 1 of 100 of them or more, and at "     \
           "least 5: look at how they ended, and at the senders")                                  \
    REASON(CAPTURE_CUT, capture_cut,                                                               \
           "count frames of the capture were cut off, or datagrams incomplete, in the last "       \
           "minute: capture whole frames")                                                         \
    REASON(RECORDS_FAILED, records_failed,                                                         \
           "the sink had taken count records that it did not write in the last minute: look at "   \
           "its reasons, and in the log")                                                          \
    REASON(RECORDS_UNKNOWN, records_unknown,                                                       \
           "the sink sent count records in the last minute that were not answered, and that "      \
           "nothing sends again")                                                                  \
    REASON(SAMPLES_LEFT_OUT, samples_left_out,                                                     \
           "the sink's destination left out count samples of written records in the last minute: " \
           "look at points_rejected and left_out")                                                 \
    REASON(RAW_REFUSED, raw_refused,                                                               \
           "the sink did not pass on count datagrams that could not be decoded in the last "       \
           "minute")                                                                               \
    REASON(LETTERS_DROPPED, letters_dropped,                                                       \
           "count dead letters were not kept in the last minute, but for those that rate= "        \
           "drops: look at their reasons")

#define HEALTH_STATUS_CONSTANT(constant, name, serves, meaning) HEALTH_##constant,
enum health_status { HEALTH_STATUSES(HEALTH_STATUS_CONSTANT) HEALTH_STATUS_COUNT };

#define HEALTH_REASON_CONSTANT(constant, name, meaning) HEALTH_##constant,
enum health_reason { HEALTH_REASONS(HEALTH_REASON_CONSTANT) HEALTH_REASON_COUNT };

struct health_word {
    const char *name, *meaning;
};
extern const struct health_word health_statuses[HEALTH_STATUS_COUNT];
extern const struct health_word health_reasons[HEALTH_REASON_COUNT];

/* Whether senders may continue to send. */
bool health_status_serves(enum health_status status);

#endif
