#include "collector/metrics/metrics_help.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *of;
    const char *term;
    const char *text;
} lines[] = {
    {"listener", "received", "Datagrams received; each was decoded, or has a reason why not."},
    {"listener", "bytes", "Bytes of payload received."},
    {"listener", "decoded", "Datagrams of which every message was decoded."},
    {"listener", "messages", "Messages decoded; each is a record for every sink."},
    {"listener", "kernel_drops",
     "What the kernel dropped before it could be received, mostly as the receive buffer was full."},
    {"listener", "kernel_drops_and_filtered",
     "What the kernel dropped or, by kernel_filter=on, refused; it does not tell which."},
    {"listener", "refused_while_stopping", "Datagrams that came during the stop, refused."},
    {"listener", "receive_errors", "Errors that the socket reported; none lost a datagram."},
    {"listener", "unknown_fields", "Fields of decoded messages that the schema lacks."},
    {"listener", "senders", "Senders found that number what they send."},
    {"listener", "lost",
     "Numbers of senders that left their window, or were left at the stop, unseen."},
    {"listener", "duplicated", "Numbers of senders that came again."},
    {"listener", "reordered", "Numbers of senders that came after a later one."},
    {"listener", "late", "Numbers of senders that came after they had been counted as lost."},
    {"listener", "restarted", "Senders that began to count anew."},
    {"listener", "senders_evicted", "Senders forgotten to make room for others."},
    {"listener", "frames", "Frames read from a capture."},
    {"listener", "fragments", "Frames of a capture that were parts of datagrams."},
    {"listener", "reassembled", "Datagrams put together of such parts."},
    {"listener", "other", "Frames of a capture that were not UDP, or not for the port."},
    {"listener", "cut", "Frames of which the capture had only a part."},
    {"listener", "incomplete", "Datagrams of which a capture lacked a part."},
    {"sink", "offered", "Records decoded while the sink existed."},
    {"sink", "queued", "Records that the sink's queues took."},
    {"sink", "written", "Records written, each to its last byte."},
    {"sink", "filtered", "Records that left nothing to write."},
    {"sink", "evicted", "Records taken out of a queue for newer ones."},
    {"sink", "lines", "Lines written."},
    {"sink", "samples", "Metric values written, where lines tell them one by one."},
    {"sink", "bytes", "Bytes that the destination has accepted and that were not taken back."},
    {"sink", "write_errors", "Writes that failed; each was tried again."},
    {"sink", "restarts", "How often the command was started again."},
    {"sink", "files", "Files completed."},
    {"sink", "renames_blocked", "Complete files that could not be renamed at once."},
    {"sink", "unnamed_files", "Complete files that were left as .part for the next start."},
    {"sink", "to_other_file", "Records for more different paths than max_files."},
    {"sink", "json_fallback", "Values written that the protobuf JSON mapping has no form for."},
    {"sink", "left_out", "Samples that a file had no place for."},
    {"dead_letters", "offered", "Datagrams that could not be decoded, offered as dead letters."},
    {"dead_letters", "kept", "Dead letters kept."},
    {"dead_letters", "bytes", "Bytes that the dead letters' file has accepted."},
};

const char *metrics_help(const char *of, const char *term)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].of, of) == 0 && strcmp(lines[i].term, term) == 0)
            return lines[i].text;
    return "A count of the ledger's, by this name.";
}
