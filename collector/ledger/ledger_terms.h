/*
 * The ledger's terms and reasons, one row each. The counters, their sums, the printed ledger, the
 * metrics with their help, `sluice explain` and the manual are generated from these rows.
 *
 * To add a term: add a row, and the code that counts it. To add a reason: add a row, which becomes
 * an enum constant, and the code that returns it.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_TERMS_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_TERMS_H

/*
 * Why a datagram was not decoded, in the order in which the reasons are checked. A datagram with
 * several messages has the reason of the first one that fails. `letter`: it is offered as a dead
 * letter.
 * REASON(CONSTANT, name, letter, "what it means", "what to do")
 */
#define DATAGRAM_REASONS(REASON)                                                                   \
    REASON(NO_BUFFER, no_buffer, false, "no batch was free",                                       \
           "raise --memory, or have a faster sink")                                                \
    REASON(SOURCE_DENIED, source_denied, false,                                                    \
           "its sender is not among those that allow= and deny= let send",                         \
           "look at these keys, or for the sender")                                                \
    REASON(RATE_LIMITED, rate_limited, false, "its sender sent more than rate_limit= allows",      \
           "raise it, or look for the sender")                                                     \
    REASON(TRUNCATED, truncated, true, "it is longer than max_datagram=", "raise it")              \
    REASON(NO_MATCH, no_match, true, "no schema of the listener is for it",                        \
           "look at match=, or add a schema without it")                                           \
    REASON(CONTROL, control, false, "it is a heartbeat or the like, and no message", "")           \
    REASON(SEGMENT_REPEATED, segment_repeated, false,                                              \
           "this segment of its message had come before", "")                                      \
    REASON(ASSEMBLY_FULL, assembly_full, false,                                                    \
           "there was no room to hold it until the other segments of its message come",            \
           "raise segment_memory=")                                                                \
    REASON(SEGMENTS_MISSING, segments_missing, true,                                               \
           "other segments of its message did not come within segment_timeout=",                   \
           "look for loss on the way")                                                             \
    REASON(EMPTY, empty, true, "it has no bytes, and the schema refuses that",                     \
           "look at the sender")                                                                   \
    REASON(TOO_DEEP, too_deep, true, "it is nested more than 100 levels", "look at the sender")    \
    REASON(TOO_LARGE, too_large, true, "it needs more than max_decoded= when it is decoded",       \
           "raise it, or look at the sender")                                                      \
    REASON(MALFORMED, malformed, true,                                                             \
           "it is no message of the schema, or is not framed as framing= and header= say",         \
           "look at the sender, or at schema=")

/*
 * Why a sink's queue did not accept a record.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define RECORD_REFUSALS(REASON)                                                                    \
    REASON(RING_FULL, ring_full, "the queue is full: the sink is slower than what comes",          \
           "have a faster sink, or raise --memory")                                                \
    REASON(LISTENER_SHARE, listener_share,                                                         \
           "the sink is behind, and this listener holds its share of the queue: half of what the " \
           "others leave free",                                                                    \
           "look for the listener that is flooded")                                                \
    REASON(SINK_ENDED, sink_ended, "the sink has ended for good", "look in the log for the reason")

/*
 * Why a record that a sink had accepted was not written.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define RECORD_FAILURES(REASON)                                                                    \
    REASON(TOO_LARGE, too_large,                                                                   \
           "it has more bytes when it is written than a sink has room for (1 MiB, and more where " \
           "messages may be longer), or more than a datagram or a delivery's far end takes",       \
           "look at the sender")                                                                   \
    REASON(AMPLIFIED, amplified,                                                                   \
           "its lines have more than max_amplification= times the bytes of its message",           \
           "look at the sender; buckets=40 makes histograms shorter, or raise "                    \
           "max_amplification=")                                                                   \
    REASON(NO_SOURCE, no_source,                                                                   \
           "keep_source=on, and its sender's address is of another family than where it goes",     \
           "give an address of that family as well")                                               \
    REASON(SEND_ERROR, send_error, "the system did not send it, or not to every address",          \
           "look in the log for the error")                                                        \
    REASON(READER_GONE, reader_gone, "the reader closed the pipe",                                 \
           "start the reader again, and the program")                                              \
    REASON(IO_ERROR, io_error, "the system refused to write it, until the stop was over",          \
           "look in the log for the error")                                                        \
    REASON(STOP_TIMEOUT, stop_timeout, "it was still unwritten when --stop-timeout was over",      \
           "raise it, or have a faster reader")                                                    \
    REASON(REJECTED, rejected, "a delivery's far end does not take what it is",                    \
           "look in the log for its answer")                                                       \
    REASON(DENIED, denied, "a delivery's far end did not let us write there",                      \
           "look at the token or password, and at the rights it has")                              \
    REASON(TIMEOUT_UNSENT, timeout_unsent,                                                         \
           "a delivery could not send it in timeout=, and the far end certainly has it not",       \
           "look in the log for the error, or raise timeout=")                                     \
    REASON(DAMAGED, damaged,                                                                       \
           "it lay in a spill, and what was there is damaged, missing, or of another version",     \
           "look at the disk, and for files that end in .bad in the spill's folder")               \
    REASON(COMMAND_ENDED, command_ended,                                                           \
           "the command ended before it had read it, or none was there at the stop",               \
           "look at what the command writes to standard error")

/*
 * Why a dead letter was not kept.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define DEAD_LETTER_DROPS(REASON)                                                                  \
    REASON(RATE, rate, "more came in a second than rate= allows", "raise it")                      \
    REASON(RING_FULL, ring_full, "the file's thread was behind", "have a faster disk")             \
    REASON(FILE_FULL, file_full,                                                                   \
           "the file has reached max_size=", "move the file away, and send SIGHUP")                \
    REASON(MIN_FREE, min_free, "the disk had less free than --min-free", "free some")              \
    REASON(IO_ERROR, io_error, "it could not be written", "look in the log for the error")         \
    REASON(STOP_TIMEOUT, stop_timeout, "it was still unwritten when --stop-timeout was over",      \
           "raise it")

/*
 * The kinds of listeners. KIND(CONSTANT, name, is_socket, part): `is_socket`: the kernel can drop
 * its datagrams; `part`: the terms that only this kind has (PART_SEQUENCE: none).
 */
#define LISTENER_KINDS(KIND)                                                                       \
    KIND(UDP, udp, true, PART_SEQUENCE)                                                            \
    KIND(CAPTURE, capture, false, PART_CAPTURE)                                                    \
    KIND(TCP, tcp, false, PART_CONNECTIONS)

/* Where a term is printed. */
enum ledger_part {
    PART_FLOW,        /* in the sums; always printed */
    PART_NOW,         /* in the sums, but a level that rises and falls */
    PART_ALWAYS,      /* always printed, after the reasons */
    PART_BESIDE,      /* each part from here on is a line of text without its zero terms */
    PART_SEQUENCE,    /* from senders' sequence numbers (collector/senders/sequence.h) */
    PART_CAPTURE,     /* of a capture (collector/capture/capture.h) */
    PART_CONNECTIONS, /* of a stream listener (collector/receive/stream_server.h) */
    PART_RAW,         /* of a relay: undecodable datagrams that it still passes on */
    PART_COUNT
};

/* A row is TERM(name, part, help): `help` is the help of the metric. */

/* Of a listener; in datagrams unless the help says otherwise. */
#define LISTENER_TERMS(TERM)                                                                       \
    TERM(received, PART_FLOW, "Datagrams received; each was decoded, or has a reason why not.")    \
    TERM(in_assembly, PART_NOW,                                                                    \
         "Datagrams held, segments of messages that are not whole yet; 0 after a stop.")           \
    TERM(bytes, PART_FLOW, "Bytes of payload received.")                                           \
    TERM(decoded, PART_FLOW, "Datagrams with every message decoded.")                              \
    TERM(messages, PART_ALWAYS, "Messages decoded; each is a record for every sink.")              \
    TERM(kernel_drops, PART_ALWAYS,                                                                \
         "What the kernel dropped before it could be received, mostly as the receive buffer was "  \
         "full: raise receive_buffer=, or add receivers=.")                                        \
    TERM(refused_while_stopping, PART_BESIDE, "Datagrams that came during the stop, refused.")     \
    TERM(receive_errors, PART_BESIDE, "Errors that the socket reported; none lost a datagram.")    \
    TERM(unknown_fields, PART_BESIDE, "Fields of decoded messages that the schema lacks.")         \
    TERM(senders, PART_SEQUENCE, "Senders found that number what they send.")                      \
    TERM(lost, PART_SEQUENCE,                                                                      \
         "Numbers of senders that left their window, or were left at the stop, unseen.")           \
    TERM(duplicated, PART_SEQUENCE, "Numbers of senders that came again.")                         \
    TERM(reordered, PART_SEQUENCE, "Numbers of senders that came after a later one.")              \
    TERM(late, PART_SEQUENCE, "Numbers of senders that came after they had been counted as lost.") \
    TERM(restarted, PART_SEQUENCE, "Senders that began to count anew.")                            \
    TERM(senders_evicted, PART_SEQUENCE, "Senders forgotten to make room for others.")             \
    TERM(frames, PART_CAPTURE, "Frames read from a capture.")                                      \
    TERM(fragments, PART_CAPTURE, "Frames of a capture that were parts of datagrams.")             \
    TERM(reassembled, PART_CAPTURE, "Datagrams put together of such parts.")                       \
    TERM(other, PART_CAPTURE, "Frames of a capture that were not UDP, or not for the port.")       \
    TERM(cut, PART_CAPTURE, "Frames that the capture cut off.")                                    \
    TERM(incomplete, PART_CAPTURE, "Datagrams that lack a part in the capture.")                   \
    TERM(connections, PART_CONNECTIONS, "Connections accepted; each is open, or has an end.")      \
    TERM(accept_errors, PART_CONNECTIONS, "Times when the system had no means to accept one.")     \
    TERM(answers, PART_CONNECTIONS, "Frames that were answered.")                                  \
    CONNECTION_END_TERMS(TERM)

/* How the connections of a stream listener ended. After a stop, connections = the sum of these. */
#define CONNECTION_END_TERMS(TERM)                                                                 \
    TERM(closed, PART_CONNECTIONS, "Connections that the client closed, after a whole frame.")     \
    TERM(frame_cut, PART_CONNECTIONS, "Connections that ended within a frame, which is lost.")     \
    TERM(reset, PART_CONNECTIONS, "Connections that broke; what was read until then is counted.")  \
    TERM(idle, PART_CONNECTIONS,                                                                   \
         "Connections closed as nothing came, or no answer was read, in idle_timeout=.")           \
    TERM(frame_timeout, PART_CONNECTIONS,                                                          \
         "Connections closed as a frame took longer than frame_timeout=, or held up others.")      \
    TERM(bad_frame, PART_CONNECTIONS,                                                              \
         "Connections closed for a frame that is too long, or is none.")                           \
    TERM(content_type, PART_CONNECTIONS,                                                           \
         "Connections closed as their messages have another content type.")                        \
    TERM(tls_failed, PART_CONNECTIONS,                                                             \
         "Connections closed as TLS failed; the log has the reason.")                              \
    TERM(denied, PART_CONNECTIONS,                                                                 \
         "Connections refused as allow= and deny= do not let the client send.")                    \
    TERM(over_limit, PART_CONNECTIONS, "Connections refused as max_connections= were open.")       \
    TERM(over_address_limit, PART_CONNECTIONS,                                                     \
         "Connections refused as their address had max_connections_per_address= open.")            \
    TERM(unwatched, PART_CONNECTIONS, "Connections closed as the system could not watch them.")    \
    TERM(stopped, PART_CONNECTIONS, "Connections that were open at the stop.")

/* The records that a sink was offered. */
#define OFFER_TERMS(TERM)                                                                          \
    TERM(offered, PART_FLOW, "Records decoded while the sink existed.")                            \
    TERM(queued, PART_FLOW, "Records that the sink's queues took.")

/* Of a sink; in records unless the help says otherwise. */
#define SINK_TERMS(TERM)                                                                           \
    TERM(written, PART_FLOW, "Records written, each to its last byte.")                            \
    TERM(filtered, PART_FLOW, "Records that left nothing to write.")                               \
    TERM(evicted, PART_FLOW, "Records taken out of a queue for newer ones.")                       \
    TERM(unknown, PART_FLOW,                                                                       \
         "Records that a delivery sent without an answer, or which the far end refused after it "  \
         "may have taken a part: it has them, or not.")                                            \
    TERM(recovered, PART_FLOW, "Records that lay in a spill when it was opened.")                  \
    TERM(spilled, PART_NOW, "Records that lie in a spill now, less those that are being sent.")    \
    TERM(lines, PART_ALWAYS, "Lines written.")                                                     \
    TERM(samples, PART_ALWAYS, "Metric values written, where each has a line.")                    \
    TERM(bytes, PART_ALWAYS,                                                                       \
         "Bytes that the destination has accepted and that were not taken back.")                  \
    TERM(write_errors, PART_BESIDE, "Writes that failed; each was tried again.")                   \
    TERM(restarts, PART_BESIDE, "How often the command was started again.")                        \
    TERM(files, PART_BESIDE, "Files completed.")                                                   \
    TERM(renames_blocked, PART_BESIDE, "Complete files that could not be renamed at once.")        \
    TERM(unnamed_files, PART_BESIDE, "Complete files that were left as .part for the next start.") \
    TERM(to_other_file, PART_BESIDE, "Records for more different paths than max_files.")           \
    TERM(json_fallback, PART_BESIDE,                                                               \
         "Values written that the protobuf JSON mapping has no form for.")                         \
    TERM(possible_duplicates, PART_BESIDE,                                                         \
         "Written records that a delivery sent again after no answer, or after one by which some " \
         "may have been taken.")                                                                   \
    TERM(points_rejected, PART_BESIDE,                                                             \
         "Data points, log records or spans that a receiver of OTLP left out of written records.") \
    TERM(left_out, PART_BESIDE, "Samples that a file had no place for.")                           \
    TERM(raw_offered, PART_RAW, "Datagrams that could not be decoded, offered to be passed on.")   \
    TERM(raw_sent, PART_RAW, "Such datagrams that were sent.")                                     \
    TERM(raw_refused, PART_RAW, "Such datagrams that had no room, or that the system did not send.")

/* Of dead letters. */
#define DEAD_LETTER_TERMS(TERM)                                                                    \
    TERM(offered, PART_FLOW, "Datagrams that could not be decoded, offered as dead letters.")      \
    TERM(kept, PART_FLOW, "Dead letters kept.")                                                    \
    TERM(bytes, PART_ALWAYS, "Bytes that the dead letters' file has accepted.")

/*
 * Measures are histograms of how the work went. They belong to no sum, and only --metrics reports
 * them. MEASURE(name, bounds, metric, help): `metric` is the name there.
 */
#define THREAD_MEASURES(MEASURE)                                                                   \
    MEASURE(drain_length, histogram_counts, drain_datagrams,                                       \
            "Datagrams that each drain of a socket found: few at a low rate, dozens at a high "    \
            "one.")                                                                                \
    MEASURE(                                                                                       \
        decode_latency, histogram_times, decode_latency_seconds,                                   \
        "From the arrival of the first datagram of each quantum of a socket, which has "           \
        "waited longest, until the whole quantum was decoded, or up to seven datagrams after it.") \
    MEASURE(batch_records, histogram_counts, batch_records,                                        \
            "Records in each batch that was offered to the sinks.")

#define SINK_MEASURES(MEASURE)                                                                     \
    MEASURE(write_time, histogram_times, write_seconds,                                            \
            "From the first try to write a block until it was out, with all waits and retries.")

/* The name and help of kernel_drops with kernel_filter=on. */
#define KERNEL_DROPS_AND_FILTERED "kernel_drops_and_filtered"
#define KERNEL_DROPS_AND_FILTERED_HELP                                                             \
    "What the kernel dropped or, by kernel_filter=on, refused; it does not report which."

#endif
