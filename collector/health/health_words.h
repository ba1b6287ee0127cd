/*
 * The statuses and reasons of a health report, one row each. The report, `sluice explain` and the
 * manual are generated from these rows.
 *
 * To add a reason, add a row, and the code in health.c that finds it.
 */
#ifndef SLUICE_COLLECTOR_HEALTH_HEALTH_WORDS_H
#define SLUICE_COLLECTOR_HEALTH_HEALTH_WORDS_H

#include <stdbool.h>

/*
 * STATUS(CONSTANT, name, serves, "what it means", "what to do"). `serves` is true if senders may
 * continue to send.
 */
#define HEALTH_STATUSES(STATUS)                                                                    \
    STATUS(READY, ready, true, "it receives, and no problem is known", "nothing")                  \
    STATUS(DEGRADED, degraded, true,                                                               \
           "it receives, but loses or delays records for the listed reasons; a restart would not " \
           "help",                                                                                 \
           "run sluice explain with each reason")                                                  \
    STATUS(STUCK, stuck, false, "a receiving thread has not answered for --stall-timeout",         \
           "restart it; if it happens again, report a bug, with the log")                          \
    STATUS(STOPPING, stopping, false, "it is stopping", "nothing; it ends within --stop-timeout")

/*
 * REASON(CONSTANT, name, "what it means", "more", "what to do"). A report inserts its number
 * between the first two texts, such as " for 12 s" or " (7)", and appends ": " and what to do.
 */
#define HEALTH_REASONS(REASON)                                                                     \
    REASON(RECEIVER_STUCK, receiver_stuck, "a receiving thread has not answered",                  \
           " (--stall-timeout or longer)",                                                         \
           "restart sluice; if it happens again, report a bug, with the log")                      \
    REASON(SINK_ENDED, sink_ended, "the sink has ended permanently, because its reader is gone",   \
           "", "restart both")                                                                     \
    REASON(SINK_FAILS, sink_fails,                                                                 \
           "the sink's destination has failed, or its command has been away", "; it is retried",   \
           "look in the log for its error")                                                        \
    REASON(SINK_WAITS, sink_waits, "the sink's destination has not accepted or acknowledged data", \
           " (--stall-timeout or longer)", "check that its reader or far end is running")          \
    REASON(                                                                                        \
        SINK_BEHIND, sink_behind, "the oldest record of a delivery has waited for its answer",     \
        " (--stall-timeout or longer), while the far end accepts others",                          \
        "nothing, if the far end was away; otherwise it is slow: use a faster one, or send less")  \
    REASON(SPILL_FILLS, spill_fills, "the sink's spill uses four fifths of spill_size= or more",   \
           "",                                                                                     \
           "repair the far end, or raise spill_size=; when it is full the newest records are "     \
           "refused, or the oldest evicted")                                                       \
    REASON(SPILL_FULL, spill_full, "the sink's spill could not store records",                     \
           ", as it has reached spill_size=, or its disk is full, has less free than --min-free, " \
           "or fails",                                                                             \
           "repair the far end, raise spill_size=, or free disk space")                            \
    REASON(SPILL_KEPT, spill_kept,                                                                 \
           "the sink's spill has records of another format, kind of destination, topic or "        \
           "subject, which the sink cannot send",                                                  \
           "",                                                                                     \
           "configure a sink that fits for the folder, or export them with sluice spill export")   \
    REASON(SPILL_LEFT, spill_left,                                                                 \
           "a reload removed the sink, and records remain in its spill, which no sink uses", "",   \
           "configure a sink with that folder, or export them with sluice spill export")           \
    REASON(KERNEL_DROPS, kernel_drops,                                                             \
           "the kernel dropped datagrams of the listener in the last minute", "",                  \
           "raise receive_buffer=, or add receivers=")                                             \
    REASON(GROUP_LOST, group_lost,                                                                 \
           "the listener's multicast group is not joined, because its interface is gone", "",      \
           "bring the interface up; the group is joined again by itself")                          \
    REASON(NO_BUFFER, no_buffer,                                                                   \
           "no batch was free for datagrams of the listener in the last minute", "",               \
           "if a sink fails or waits, repair its destination; otherwise raise --memory, or use "   \
           "a faster sink")                                                                        \
    REASON(RECORDS_REFUSED, records_refused,                                                       \
           "the sink's queues refused records in the last minute", "",                             \
           "if the sink also fails or waits, repair its destination; otherwise use a faster "      \
           "sink, or raise --memory for longer bursts")                                            \
    REASON(RECORDS_EVICTED, records_evicted,                                                       \
           "the sink's queues, or its spill, evicted records for newer ones in the last minute",   \
           "",                                                                                     \
           "if the sink also fails or waits, repair its destination; otherwise use a faster sink") \
    REASON(UNDECODABLE, undecodable,                                                               \
           "datagrams of the listener could not be decoded in the last minute",                    \
           ", at least 5 and 1 in 100 (until fewer than 1 in 200)",                                \
           "check its reasons (truncated, no_match, empty, too_deep, "                             \
           "too_large, malformed), and the senders")                                               \
    REASON(ASSEMBLY_FULL, assembly_full,                                                           \
           "there was no room to keep segments of the listener in the last minute", "",            \
           "raise segment_memory=")                                                                \
    REASON(SEGMENTS_MISSING, segments_missing,                                                     \
           "segments of the listener were given up in the last minute, because others of their "   \
           "messages did not arrive within segment_timeout=",                                      \
           "", "look for packet loss on the network")                                              \
    REASON(NUMBERS_LOST, numbers_lost,                                                             \
           "numbered datagrams did not arrive at the listener in the last minute",                 \
           ", at least 5 and 1 in 100 (until fewer than 1 in 200)",                                \
           "look at kernel_drops first, then for packet loss on the "                              \
           "network")                                                                              \
    REASON(CONNECTIONS_REFUSED, connections_refused,                                               \
           "connections to the listener were refused in the last minute",                          \
           ", as max_connections= were open, or the system lacked resources",                      \
           "look at over_limit, unwatched and accept_errors of the listener; raise "               \
           "max_connections=, or the limit of open files")                                         \
    REASON(CONNECTIONS_CUT, connections_cut,                                                       \
           "connections to the listener ended in the last minute within a frame, or because of "   \
           "an invalid frame, content type or TLS handshake",                                      \
           ", at least 5 and 1 in 100 (until fewer than 1 in 200)",                                \
           "check how they ended, and the senders")                                                \
    REASON(CAPTURE_CUT, capture_cut,                                                               \
           "frames of the capture were truncated, or datagrams incomplete, in the last minute",    \
           "", "capture whole frames")                                                             \
    REASON(RECORDS_FAILED, records_failed,                                                         \
           "records that the sink had accepted were not written in the last minute", "",           \
           "check its reasons, and the log")                                                       \
    REASON(RECORDS_UNKNOWN, records_unknown,                                                       \
           "records that the sink sent in the last minute were not answered, and will not be "     \
           "sent again",                                                                           \
           "", "if a duplicate is better than a gap, use spill= or retry=at_least_once")           \
    REASON(SAMPLES_LEFT_OUT, samples_left_out,                                                     \
           "the sink's destination left out samples of written records in the last minute", "",    \
           "check points_rejected and left_out")                                                   \
    REASON(RAW_REFUSED, raw_refused,                                                               \
           "the sink did not pass on undecodable datagrams in the last minute", "",                \
           "look in the log for the error, or raise --memory")                                     \
    REASON(LETTERS_DROPPED, letters_dropped,                                                       \
           "dead letters were not kept in the last minute, not counting those that rate= drops",   \
           "", "check their reasons")

#define HEALTH_STATUS_CONSTANT(constant, ...) HEALTH_##constant,
enum health_status { HEALTH_STATUSES(HEALTH_STATUS_CONSTANT) HEALTH_STATUS_COUNT };

#define HEALTH_REASON_CONSTANT(constant, ...) HEALTH_##constant,
enum health_reason { HEALTH_REASONS(HEALTH_REASON_CONSTANT) HEALTH_REASON_COUNT };

struct health_word {
    const char *name;
    const char *meaning;
    const char *remedy;
    const char *filled; /* meaning and remedy; "{}" is where a report inserts its number */
};
extern const struct health_word health_statuses[HEALTH_STATUS_COUNT];
extern const struct health_word health_reasons[HEALTH_REASON_COUNT];

/* Returns true if senders may continue to send. */
bool health_status_serves(enum health_status status);

#endif
