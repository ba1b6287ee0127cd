/*
 * The ledger's terms and reasons, one row each. The counters, their sums, the printed ledger, the
 * metrics with their help, `sluice explain` and the manual are generated from these rows.
 *
 * To add a term, add a row, and the code that counts it. To add a reason, add a row, which becomes
 * an enum constant, and the code that returns it.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_TERMS_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_TERMS_H

/*
 * The reasons for which a datagram was not decoded, in the order in which they are checked (see
 * admit_datagram for the one exception). A datagram with several messages has the reason of the
 * first one that fails. `letter` is true if the datagram is offered as a dead letter.
 * REASON(CONSTANT, name, letter, "what it means", "what to do")
 */
#define DATAGRAM_REASONS(REASON)                                                                   \
    REASON(NO_BUFFER, no_buffer, false, "no batch was free",                                       \
           "raise --memory, or use a faster sink")                                                 \
    REASON(SOURCE_DENIED, source_denied, false, "allow= and deny= do not let its sender send",     \
           "check these keys, or the sender")                                                      \
    REASON(RATE_LIMITED, rate_limited, false, "its sender sent more than rate_limit= allows",      \
           "raise rate_limit=, or check the sender")                                               \
    REASON(TRUNCATED, truncated, true, "it is longer than max_datagram=", "raise max_datagram=")   \
    REASON(HANDSHAKE, handshake, false,                                                            \
           "it is a message of DTLS itself: of a handshake, or the end of a session", "")          \
    REASON(HANDSHAKE_REFUSED, handshake_refused, false,                                            \
           "it begins a DTLS handshake while sessions=, sessions_per_address= or 64 handshakes "   \
           "are there, or its host has used its time for handshakes, or it is malformed",          \
           "raise sessions= and sessions_per_address=, or look for a client that begins sessions " \
           "again and again")                                                                      \
    REASON(NO_SESSION, no_session, false,                                                          \
           "its DTLS client has no session: it has ended, or belongs to an earlier run",           \
           "restart the client, if it does not begin another session itself")                      \
    REASON(NO_KEY, no_key, true, "no key of the keys= file has its number and is valid now",       \
           "add the sender's key to the file and reload, or check the clock")                      \
    REASON(FORGED, forged, true,                                                                   \
           "its tag is wrong: it was altered, or sealed with another key of the same number, or "  \
           "encrypted for an earlier DTLS session",                                                \
           "compare the sender's key with that in the keys= file; otherwise look for an attacker") \
    REASON(STALE, stale, true,                                                                     \
           "it was sent more than max_age= ago or ahead, or before the program remembers what it " \
           "received from this sender",                                                            \
           "correct the clocks; state= shortens the time after a start in which it is expected; "  \
           "if the log reports slow writes of the state file, put it on a faster disk")            \
    REASON(REPLAYED, replayed, true,                                                               \
           "it was received before, or too many later ones of its sender were",                    \
           "look for an attacker, or for a network that repeats or delays datagrams")              \
    REASON(NO_MATCH, no_match, true, "it matches no schema of the listener",                       \
           "check match=, or add a schema without it")                                             \
    REASON(CONTROL, control, false, "it is a heartbeat or another control message", "")            \
    REASON(SEGMENT_REPEATED, segment_repeated, false,                                              \
           "this segment of its message had arrived before", "")                                   \
    REASON(ASSEMBLY_FULL, assembly_full, false,                                                    \
           "there was no room to keep it until the other segments of its message arrive",          \
           "raise segment_memory=")                                                                \
    REASON(SEGMENTS_MISSING, segments_missing, true,                                               \
           "other segments of its message did not arrive within segment_timeout=",                 \
           "look for packet loss on the network")                                                  \
    REASON(EMPTY, empty, true, "it has no bytes, which the schema refuses", "check the sender")    \
    REASON(TOO_DEEP, too_deep, true, "its messages are nested more than 100 levels deep",          \
           "check the sender")                                                                     \
    REASON(TOO_LARGE, too_large, true, "decoded it needs more than max_decoded= bytes",            \
           "raise max_decoded=, or check the sender")                                              \
    REASON(                                                                                        \
        MALFORMED, malformed, true,                                                                \
        "it is not a message of the schema, or its framing is not that of framing= and header=",   \
        "check the sender, or schema=")

/*
 * The reasons for which a sink's queue did not accept a record.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define RECORD_REFUSALS(REASON)                                                                    \
    REASON(RING_FULL, ring_full, "the queue was full: the sink is slower than the input",          \
           "if health reports sink_fails or sink_waits, repair the destination; otherwise use a "  \
           "faster sink, or raise --memory for longer bursts")                                     \
    REASON(LISTENER_SHARE, listener_share,                                                         \
           "the sink is behind, and this listener has used its share of the queue: half of what "  \
           "the other listeners leave free",                                                       \
           "if health reports sink_fails or sink_waits, repair the destination; otherwise look "   \
           "for the listener with the most datagrams")                                             \
    REASON(SINK_ENDED, sink_ended, "the sink has ended permanently",                               \
           "look in the log for the reason")

/*
 * The reasons for which a record that a sink had accepted was not written.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define RECORD_FAILURES(REASON)                                                                    \
    REASON(TOO_LARGE, too_large,                                                                   \
           "written it has more bytes than a sink's buffer (1 MiB, or more if longer messages "    \
           "are allowed), or than a datagram or a delivery's far end accepts",                     \
           "check the sender")                                                                     \
    REASON(AMPLIFIED, amplified,                                                                   \
           "its lines have more than max_amplification= times the bytes of its message",           \
           "check the sender; buckets=40 makes histograms shorter, or raise max_amplification=")   \
    REASON(NO_SOURCE, no_source,                                                                   \
           "with keep_source=on its sender's address must be of the family of the target",         \
           "add a target of that family")                                                          \
    REASON(SEND_ERROR, send_error, "the system did not send it, or not to every target",           \
           "look in the log for the error")                                                        \
    REASON(READER_GONE, reader_gone, "the reader closed the pipe",                                 \
           "restart the reader and sluice")                                                        \
    REASON(IO_ERROR, io_error, "writing it failed until the stop was over",                        \
           "look in the log for the error")                                                        \
    REASON(STOP_TIMEOUT, stop_timeout, "it was not written within --stop-timeout",                 \
           "raise --stop-timeout, or use a faster reader")                                         \
    REASON(REJECTED, rejected, "a delivery's far end rejected its contents",                       \
           "look in the log for its answer")                                                       \
    REASON(DENIED, denied, "a delivery's far end did not let us write there",                      \
           "check the token or password, and its rights")                                          \
    REASON(                                                                                        \
        TIMEOUT_UNSENT, timeout_unsent,                                                            \
        "a delivery could not send it within timeout=, and the far end definitely did not get it", \
        "look in the log for the error, or raise timeout=")                                        \
    REASON(DAMAGED, damaged, "its bytes in a spill are damaged, missing, or of another version",   \
           "check the disk, and files that end in .bad in the spill's folder")                     \
    REASON(COMMAND_ENDED, command_ended,                                                           \
           "the command ended before it had read it, or was not running at the stop",              \
           "read what the command writes to standard error")

/*
 * The reasons for which a dead letter was not kept.
 * REASON(CONSTANT, name, "what it means", "what to do")
 */
#define DEAD_LETTER_DROPS(REASON)                                                                  \
    REASON(RATE, rate, "there were more in a second than rate= allows", "raise rate=")             \
    REASON(RING_FULL, ring_full, "the thread that writes the file was behind",                     \
           "use a faster disk")                                                                    \
    REASON(FILE_FULL, file_full,                                                                   \
           "the file has reached max_size=", "move the file away, and send SIGHUP")                \
    REASON(MIN_FREE, min_free, "the disk had less free space than --min-free", "free disk space")  \
    REASON(IO_ERROR, io_error, "it could not be written", "look in the log for the error")         \
    REASON(STOP_TIMEOUT, stop_timeout, "it was not written within --stop-timeout",                 \
           "raise --stop-timeout")

/*
 * The kinds of listeners. KIND(CONSTANT, name, is_socket, part): `is_socket` is true if the kernel
 * can drop its datagrams; `part` has the terms that only this kind has, or is PART_SEQUENCE.
 */
#define LISTENER_KINDS(KIND)                                                                       \
    KIND(UDP, udp, true, PART_SEQUENCE)                                                            \
    KIND(DTLS, dtls, true, PART_SESSIONS)                                                          \
    KIND(CAPTURE, capture, false, PART_CAPTURE)                                                    \
    KIND(TCP, tcp, false, PART_CONNECTIONS)                                                        \
    KIND(UNIX, unix, false, PART_CONNECTIONS)

/* The place at which a term is printed. */
enum ledger_part {
    PART_FLOW,        /* in the sums; always printed */
    PART_NOW,         /* in the sums, but its value rises and falls */
    PART_ALWAYS,      /* always printed, after the reasons */
    PART_BESIDE,      /* from here on each part is a line of text, which omits zero terms */
    PART_SEQUENCE,    /* from senders' sequence numbers (senders/sequence.h) */
    PART_CAPTURE,     /* of a capture (capture/capture.h) */
    PART_CONNECTIONS, /* of a stream listener (receive/stream_server.h) */
    PART_SESSIONS,    /* of a DTLS listener (receive/dtls.h) */
    PART_RAW,         /* of a relay: undecodable datagrams that it passes on */
    PART_COUNT
};

/*
 * A row is TERM(name, part, "help", "what to do"). `help` is the help text of the metric. `sluice
 * explain` prints what to do, which must not be empty.
 */

/* The terms of a listener, in datagrams unless the help says otherwise. */
#define LISTENER_TERMS(TERM)                                                                       \
    TERM(received, PART_FLOW, "Datagrams received; each was decoded, or has a reason.",            \
         "nothing; if senders have sent more, look at kernel_drops and lost")                      \
    TERM(in_assembly, PART_NOW,                                                                    \
         "Datagrams buffered: segments of incomplete messages; 0 after a stop.",                   \
         "nothing, if it falls again; segments_missing counts what was given up")                  \
    TERM(bytes, PART_FLOW, "Bytes of payload received.",                                           \
         "nothing; divided by received it is the mean size of a datagram")                         \
    TERM(decoded, PART_FLOW, "Datagrams with every message decoded.",                              \
         "nothing; where it is less than received, look at the reasons")                           \
    TERM(messages, PART_ALWAYS, "Messages decoded; each is a record for every sink.",              \
         "nothing; compare it with offered of each sink")                                          \
    TERM(kernel_drops, PART_ALWAYS,                                                                \
         "Drops of the kernel before the datagram could be received, mostly because the receive "  \
         "buffer was full.",                                                                       \
         "raise receive_buffer=, or add receivers=")                                               \
    TERM(dropped_buffers, PART_BESIDE,                                                             \
         "Drops in kernel_drops that were buffers of one or more datagrams (gro=on); the others "  \
         "were datagrams.",                                                                        \
         "raise receive_buffer=, or add receivers=; gro=off counts datagrams")                     \
    TERM(refused_while_stopping, PART_BESIDE,                                                      \
         "Datagrams that arrived during the stop and were refused.",                               \
         "nothing; if senders stop first, there are none")                                         \
    TERM(receive_errors, PART_BESIDE, "Errors that the socket reported; none lost a datagram.",    \
         "nothing, if there are few; otherwise look for the error in the kernel's log")            \
    TERM(json, PART_BESIDE,                                                                        \
         "Refused datagrams that are JSON; they are also counted with their reason.",              \
         "make the sender send protobuf; the log has its address")                                 \
    TERM(unknown_fields, PART_BESIDE, "Fields of decoded messages that are not in the schema.",    \
         "if these fields are needed, update the schema: the senders have a newer one, or "        \
         "schema= or message= is wrong")                                                           \
    TERM(series_repeated, PART_BESIDE,                                                             \
         "Samples of value=* with the name and labels of an earlier sample of their message.",     \
         "name a field in which these samples differ with labels=; the log has one name")          \
    TERM(senders, PART_SEQUENCE, "Senders that number their datagrams.",                           \
         "nothing; if there are more than expected, check the senders' sender_id")                 \
    TERM(lost, PART_SEQUENCE,                                                                      \
         "Sequence numbers that were not decoded: lost in the network, dropped by the kernel, or " \
         "refused; counted when their sender is 1,024 numbers ahead (65,536 where it may use "     \
         "several connections or receivers), or at the stop.",                                     \
         "look at kernel_drops and the reasons (rate_limited, truncated, malformed) first; the "   \
         "rest was lost in the network; sluice-top and /sources have the numbers that are "        \
         "missing so far")                                                                         \
    TERM(duplicated, PART_SEQUENCE, "Sequence numbers that arrived again.",                        \
         "nothing, if there are few; otherwise two senders may have one sender_id, or the "        \
         "network has a loop")                                                                     \
    TERM(reordered, PART_SEQUENCE, "Sequence numbers that arrived after a higher one.",            \
         "nothing; the network has several paths")                                                 \
    TERM(late, PART_SEQUENCE,                                                                      \
         "Sequence numbers that arrived too late to be known: counted as lost before, repeated, "  \
         "older than the first, or the first of a restarted sender without boot id.",              \
         "nothing, if there are few: the network has delayed these datagrams")                     \
    TERM(restarted, PART_SEQUENCE, "Senders that restarted their numbers.",                        \
         "nothing, if the senders were restarted; otherwise two senders may have one sender_id")   \
    TERM(senders_evicted, PART_SEQUENCE,                                                           \
         "Senders removed from the table to make room for others.",                                \
         "look for forged addresses: the table has room for the senders of an ordinary network")   \
    TERM(frames, PART_CAPTURE, "Frames read from a capture.",                                      \
         "nothing; a frame that is not a datagram for the listener is counted as other")           \
    TERM(fragments, PART_CAPTURE, "Frames of a capture that were fragments of datagrams.",         \
         "nothing, if incomplete is 0")                                                            \
    TERM(reassembled, PART_CAPTURE, "Datagrams reassembled from fragments.",                       \
         "nothing; compare it with incomplete")                                                    \
    TERM(other, PART_CAPTURE, "Frames of a capture that were not UDP, or not for the port.",       \
         "if they should be read, check port= of the capture")                                     \
    TERM(cut, PART_CAPTURE, "Frames truncated in the capture.", "capture whole frames")            \
    TERM(incomplete, PART_CAPTURE,                                                                 \
         "Datagrams that lack a fragment in the capture, or whose UDP checksum shows that a "      \
         "fragment is of another datagram.",                                                       \
         "capture where all fragments pass by, and begin before the senders do")                   \
    TERM(connections, PART_CONNECTIONS, "Connections accepted; each is open, or has an end.",      \
         "nothing; if there are many more than clients, look at their ends")                       \
    TERM(accept_errors, PART_CONNECTIONS, "Failed attempts of the system to accept a connection.", \
         "look in the log for the error; raise the limit of open files if it was reached")         \
    TERM(not_removed, PART_CONNECTIONS,                                                            \
         "Closed sockets whose registration the system did not end in time.",                      \
         "look in the log for the time; if there are more, free memory of the system, or choose "  \
         "another notifier: only Windows has this")                                                \
    TERM(answers, PART_CONNECTIONS, "Frames that were answered.",                                  \
         "nothing; compare it with received")                                                      \
    CONNECTION_END_TERMS(TERM)                                                                     \
    TERM(cookies, PART_SESSIONS, "Cookies sent to DTLS clients that began a handshake.",           \
         "nothing; if there are many more than handshakes, look for forged addresses")             \
    TERM(handshakes, PART_SESSIONS, "DTLS handshakes begun, by clients that returned a cookie.",   \
         "nothing; each is in sessions or in handshakes_failed")                                   \
    TERM(handshakes_failed, PART_SESSIONS,                                                         \
         "DTLS handshakes that failed, were not complete within 15 s, or were begun again.",       \
         "look in the log for the reason, and check the certificates and keys of both ends")       \
    TERM(sessions, PART_SESSIONS, "DTLS sessions; each is open, or has an end.",                   \
         "nothing; if there are many more than clients, look at their ends")                       \
    TERM(answers_unsent, PART_SESSIONS, "Answers to DTLS clients that the system did not send.",   \
         "nothing, if there are few: clients repeat their requests; otherwise check the network")  \
    SESSION_END_TERMS(TERM)

/* Counts of how a DTLS listener's sessions ended. After a stop, their sum is `sessions`. */
#define SESSION_END_TERMS(TERM)                                                                    \
    TERM(sessions_closed, PART_SESSIONS, "DTLS sessions that the client ended.",                   \
         "nothing; this is the ordinary end")                                                      \
    TERM(sessions_broken, PART_SESSIONS, "DTLS sessions that ended by an error of the protocol.",  \
         "look for the reason in the client's log")                                                \
    TERM(sessions_idle, PART_SESSIONS,                                                             \
         "DTLS sessions ended because no datagram arrived within idle_timeout=.",                  \
         "nothing, if the client begins another one; otherwise raise idle_timeout=")               \
    TERM(sessions_replaced, PART_SESSIONS,                                                         \
         "DTLS sessions replaced by another one of the same address.",                             \
         "nothing; a client was restarted")                                                        \
    TERM(sessions_stopped, PART_SESSIONS, "DTLS sessions that were open at the stop.",             \
         "nothing; clients begin others after the start")

/* Counts of how a stream listener's connections ended. After a stop, their sum is `connections`. */
#define CONNECTION_END_TERMS(TERM)                                                                 \
    TERM(closed, PART_CONNECTIONS, "Connections that the client closed, after a whole frame.",     \
         "nothing; this is the ordinary end")                                                      \
    TERM(frame_cut, PART_CONNECTIONS, "Connections that ended within a frame, which is lost.",     \
         "look for the reason in the client's log, or for a proxy that ends connections")          \
    TERM(reset, PART_CONNECTIONS, "Connections that broke; what was read until then is counted.",  \
         "look for the reason in the client's log, or for a firewall that drops connections")      \
    TERM(idle, PART_CONNECTIONS,                                                                   \
         "Connections closed because no data arrived, or no answer was read, within "              \
         "idle_timeout=.",                                                                         \
         "nothing, if the client connects again; otherwise raise idle_timeout=")                   \
    TERM(frame_timeout, PART_CONNECTIONS,                                                          \
         "Connections closed because a frame took longer than frame_timeout=, or delayed others.", \
         "check the client and its network, or raise frame_timeout=")                              \
    TERM(bad_frame, PART_CONNECTIONS,                                                              \
         "Connections closed because a frame was too long or invalid.",                            \
         "check framing= and max_frame=, and the client")                                          \
    TERM(content_type, PART_CONNECTIONS,                                                           \
         "Connections closed because their messages have another content type.",                   \
         "check framing= and its content type, and the client")                                    \
    TERM(tls_failed, PART_CONNECTIONS,                                                             \
         "Connections closed because TLS failed; the log has the reason.",                         \
         "look in the log for the reason, and check the certificates and keys of both ends")       \
    TERM(denied, PART_CONNECTIONS,                                                                 \
         "Connections refused because allow= and deny= do not let the client send.",               \
         "check allow= and deny=, or the client")                                                  \
    TERM(over_limit, PART_CONNECTIONS, "Connections refused because max_connections= were open.",  \
         "raise max_connections=, or look for clients that do not close theirs")                   \
    TERM(over_address_limit, PART_CONNECTIONS,                                                     \
         "Connections refused because their address (IPv6: their /64) or user had "                \
         "max_connections_per_address= open.",                                                     \
         "raise max_connections_per_address=, or look for a client that does not close its own")   \
    TERM(unwatched, PART_CONNECTIONS,                                                              \
         "Connections closed because the system could not watch them.",                            \
         "look in the log for the error, and free memory of the system")                           \
    TERM(stopped, PART_CONNECTIONS, "Connections that were open at the stop.",                     \
         "nothing; clients connect again after the start")

/* The terms for the records that a sink was offered. */
#define OFFER_TERMS(TERM)                                                                          \
    TERM(offered, PART_FLOW, "Records decoded while the sink existed.",                            \
         "nothing; where it is more than queued, look at the reasons of refused records")          \
    TERM(queued, PART_FLOW, "Records that the sink's queues accepted.",                            \
         "nothing; where it is less than offered, look at the reasons of refused records")

/* The terms of a sink, in records unless the help says otherwise. */
#define SINK_TERMS(TERM)                                                                           \
    TERM(written, PART_FLOW, "Records written, each to its last byte.",                            \
         "nothing; where it is less than queued, the other terms of the sum say why")              \
    TERM(filtered, PART_FLOW, "Records without lines to write.",                                   \
         "if these records should be written, check the sink's match= and its rules for samples, " \
         "and value= of the listener")                                                             \
    TERM(evicted, PART_FLOW, "Records removed from a queue for newer ones.", "as for ring_full")   \
    TERM(unknown, PART_FLOW,                                                                       \
         "Records that a delivery sent without getting an answer, or that the far end refused "    \
         "after it may have accepted a part: it may have them or not.",                            \
         "if a duplicate is better than a gap, use spill= or retry=at_least_once")                 \
    TERM(recovered, PART_FLOW, "Records in a spill when it was opened.",                           \
         "nothing; they are sent now")                                                             \
    TERM(spilled, PART_NOW, "Records in a spill now, without those being sent.",                   \
         "nothing, if it falls; otherwise look in the log for the delivery's error")               \
    TERM(lines, PART_ALWAYS, "Lines written.",                                                     \
         "nothing; divided by written it is the number of lines of a record")                      \
    TERM(samples, PART_ALWAYS, "Metric values written, if each has a line.",                       \
         "nothing; divided by written it is the number of samples of a record")                    \
    TERM(bytes, PART_ALWAYS, "Bytes that the destination has accepted and not taken back.",        \
         "nothing; divided by lines it is the mean size of a line")                                \
    TERM(write_errors, PART_BESIDE, "Writes that failed; each was retried.",                       \
         "look in the log for the error")                                                          \
    TERM(restarts, PART_BESIDE, "Restarts of the command.",                                        \
         "look in the log for how the command ended")                                              \
    TERM(files, PART_BESIDE, "Files completed.",                                                   \
         "nothing; rotate_size= and rotate_interval= say when a file is complete")                 \
    TERM(renames_blocked, PART_BESIDE, "Complete files that could not be renamed immediately.",    \
         "look for another program that holds the file open")                                      \
    TERM(unnamed_files, PART_BESIDE, "Complete files that were left as .part for the next start.", \
         "look in the log for the error; the next start renames them")                             \
    TERM(to_other_file, PART_BESIDE, "Records for more different paths than max_files.",           \
         "raise max_files=, or use fewer fields in the path")                                      \
    TERM(json_fallback, PART_BESIDE,                                                               \
         "Values written that have no form in the protobuf JSON mapping.",                         \
         "check the sender: a NaN, an infinity or a time out of range is written as it is")        \
    TERM(possible_duplicates, PART_BESIDE,                                                         \
         "Written records that a delivery sent again without an answer, or after an answer by "    \
         "which some may have been accepted.",                                                     \
         "let the reader remove duplicates, by the time and the source of a record")               \
    TERM(points_rejected, PART_BESIDE,                                                             \
         "Data points, log records or spans of written records that an OTLP receiver rejected.",   \
         "look in the log for the receiver's reason")                                              \
    TERM(left_out, PART_BESIDE,                                                                    \
         "Samples without a place in their file, and histograms without a native form.",           \
         "with format=openmetrics look for series with several values in a millisecond; with "     \
         "native_histograms= check the sender's histograms: a scale of at least -4, and counts "   \
         "that add up")                                                                            \
    TERM(labels_joined, PART_BESIDE,                                                               \
         "Labels whose names became equal to another's in the format; their values are joined by " \
         "a semicolon.",                                                                           \
         "give one of the labels another name with rename_label=, or drop it")                     \
    TERM(series_refused, PART_BESIDE,                                                              \
         "Samples left out because max_series= or max_series_per_sender= allows no new series.",   \
         "find the sender and the label that make series grow, in the log, on the status page or " \
         "in sluice-top; leave that label out (drop_label=), limit each sender "                   \
         "(max_series_per_sender=), or raise max_series=")                                         \
    TERM(                                                                                          \
        out_of_time, PART_BESIDE,                                                                  \
        "Samples left out because their own time is outside max_age= or max_ahead=.",              \
        "correct the clock of the sender, which the log and the status page name, or write these " \
        "samples with their arrival (time=arrival)")                                               \
    TERM(time_replaced, PART_BESIDE,                                                               \
         "Samples written with their arrival because their own time is outside these.",            \
         "correct the clock of the sender, which the log and the status page name")                \
    TERM(raw_offered, PART_RAW, "Undecodable datagrams offered to be passed on.",                  \
         "nothing; compare it with raw_sent")                                                      \
    TERM(raw_sent, PART_RAW, "Undecodable datagrams sent.",                                        \
         "nothing; compare it with raw_offered")                                                   \
    TERM(raw_refused, PART_RAW,                                                                    \
         "Undecodable datagrams that had no room, or that the system did not send.",               \
         "look in the log for the error, or raise --memory")

#define DEAD_LETTER_TERMS(TERM)                                                                    \
    TERM(offered, PART_FLOW, "Undecodable datagrams offered as dead letters.",                     \
         "look at the listeners' reasons: each is a datagram that was not decoded")                \
    TERM(kept, PART_FLOW, "Dead letters kept.",                                                    \
         "read the file, such as with sluice --listen pcap:FILE")                                  \
    TERM(bytes, PART_ALWAYS, "Bytes that the dead letters' file has accepted.",                    \
         "nothing; when max_size= is reached, file_full counts")

/*
 * Measures are histograms of durations and amounts of work. They belong to no sum, and only
 * --metrics reports them. MEASURE(name, bounds, metric, "help", "what to do"): `metric` is the name
 * in --metrics.
 */
#define THREAD_MEASURES(MEASURE)                                                                   \
    MEASURE(drain_length, histogram_counts, drain_datagrams,                                       \
            "Datagrams that each drain of a socket found: few at a low rate, dozens at a high "    \
            "one.",                                                                                \
            "nothing; a constant 64 or more says that the receiver is behind: add receivers=")     \
    MEASURE(                                                                                       \
        decode_latency, histogram_times, decode_latency_seconds,                                   \
        "From the arrival of the first datagram of each quantum of a socket, which has "           \
        "waited longest, until the whole quantum was decoded, or up to seven datagrams after it.", \
        "nothing, if it is below a few milliseconds; otherwise add receivers=, or give the "       \
        "program more processor time")                                                             \
    MEASURE(batch_records, histogram_counts, batch_records,                                        \
            "Records in each batch that was offered to the sinks.",                                \
            "nothing; it grows with the rate")

#define SINK_MEASURES(MEASURE)                                                                     \
    MEASURE(write_time, histogram_times, write_seconds,                                            \
            "From the first try to write a block until it was out, with all waits and retries.",   \
            "if it is long, look for a slow disk, reader or far end")

/* The name and help of kernel_drops with kernel_filter=on. */
#define KERNEL_DROPS_AND_FILTERED "kernel_drops_and_filtered"
#define KERNEL_DROPS_AND_FILTERED_HELP                                                             \
    "Drops of the kernel, including datagrams that kernel_filter=on refused."

#endif
