#include "collector/config/key_table.h"

#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/config/broker_keys.h"
#include "collector/config/file_mode.h"
#include "collector/config/match.h"
#include "collector/config/network.h"
#include "collector/config/rules.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

#define MILLISECOND UINT64_C(1000000)
#define SECOND      (MILLISECOND * 1000)
#define HOUR        (SECOND * 3600)
#define YEAR        (HOUR * 8766)

#define LISTENER  (KEY_OF_UDP | KEY_OF_STREAM | KEY_OF_CAPTURE)
#define ADDRESSED (KEY_OF_UDP | KEY_OF_TCP | KEY_OF_CAPTURE) /* senders have IP addresses */

static const char *const false_true[] = {"false", "true", NULL};
static const char *const flow_datagram[] = {"flow", "datagram", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const json_proto[] = {"json", "proto", NULL};
static const char *const string_number[] = {"string", "number", NULL};
static const char *const framings[] = {[FRAMING_DATAGRAM] = "datagram",
                                       [FRAMING_DELIMITED] = "delimited",
                                       [FRAMING_LENGTH16] = "length16",
                                       [FRAMING_LENGTH32] = "length32",
                                       [FRAMING_LENGTH16_LE] = "length16-le",
                                       [FRAMING_LENGTH32_LE] = "length32-le",
                                       [FRAMING_FRAME_STREAMS] = "frame-streams",
                                       [FRAMING_CISCO_MDT] = "cisco-mdt",
                                       [FRAMING_UDP_NOTIF] = "udp-notif",
                                       [FRAMING_OTLP_UDP] = "otlp-udp",
                                       [FRAMING_SEALED] = "sealed",
                                       NULL};
static const char *const syncs[] = {
    [SYNC_NEVER] = "never", [SYNC_INTERVAL] = "interval", [SYNC_CLOSE] = "close", NULL};
static const char *const spill_syncs[] = {[SYNC_NEVER] = "never",
                                          [SYNC_INTERVAL] = "interval",
                                          [SYNC_CLOSE] = "close",
                                          [SYNC_ALWAYS] = "always",
                                          NULL};
static const char *const overflows[] = {[OVERFLOW_AUTO] = "auto",
                                        [OVERFLOW_DROP_NEWEST] = "drop_newest",
                                        [OVERFLOW_DROP_OLDEST] = "drop_oldest",
                                        [OVERFLOW_BLOCK] = "block",
                                        NULL};
static const char *const retries[] = {[RETRY_AUTO] = "auto",
                                      [RETRY_AT_MOST_ONCE] = "at_most_once",
                                      [RETRY_AT_LEAST_ONCE] = "at_least_once",
                                      NULL};
static const char *const end_stop[] = {[ON_EPIPE_END] = "end", [ON_EPIPE_STOP] = "stop", NULL};
static const char *const units[] = {
    [MESSAGE_AUTO] = "auto", [MESSAGE_RECORD] = "record", [MESSAGE_BLOCK] = "block", NULL};
static const char *const all_turn[] = {"all", "turn", NULL};
static const char *const typed_float[] = {"typed", "float", NULL};
static const char *const standard_sender[] = {"standard", "sender", NULL};
static const char *const drop_info[] = {"drop", "info", NULL};
static const char *const drop_too[] = {"drop", "too", NULL};
static const char *const hide_show[] = {"hide", "show", NULL};
static const char *const own_arrival[] = {
    [SAMPLE_TIME_OWN] = "own", [SAMPLE_TIME_ARRIVAL] = "arrival", NULL};

/* Offset of a key's field in its struct. */
#define OF_LISTENER(field) offsetof(struct listener_config, field)
#define OF_SCHEMA(field)   offsetof(struct schema_config, field)
#define OF_SINK(field)     offsetof(struct sink_config, field)
#define SETTINGS(field)    OF_SINK(settings.field)
#define BROKER(field)      SETTINGS(broker.field)
#define TLS(field)         SETTINGS(tls.field)
#define SAMPLING(field)    SETTINGS(encoding.rules.field)
#define LIMIT(field)       SETTINGS(encoding.limits.field)

static struct setting rows[KEYS_MAX] = {
    /* Datagrams. */
    {"max_decoded", SETTING_SIZE, LISTENER, OF_LISTENER(max_decoded), "512KiB", 1 * KIB, 64 * MIB,
     .help = "most memory of one decoded datagram"},
    {"allow", SETTING_PARSED, ADDRESSED, OF_LISTENER(allow), .parse = networks_parse,
     .syntax = NETWORKS_SYNTAX, .help = "networks and addresses that may send (default: all)",
     .others = "allow_from allowlist whitelist permit permit_origin"},
    {"deny", SETTING_PARSED, ADDRESSED, OF_LISTENER(deny), .parse = networks_parse,
     .syntax = NETWORKS_SYNTAX,
     .help = "networks and addresses that may not send; has precedence over allow=",
     .others = "deny_from denylist blacklist block reject"},
    {"rate_limit", SETTING_COUNT, LISTENER, OF_LISTENER(rate_limit), .minimum = 1,
     .maximum = RATE_LIMIT_MOST,
     .help =
         "most datagrams a second, and in one burst, from each source address, from any port, or "
         "from each user of unix: (default: no limit)",
     .others = "ratelimit limit max_rate throttle"},

    {"segment_memory", SETTING_SIZE, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(segment_memory),
     "4MiB", 256 * KIB, 1024 * MIB,
     .help = "with framing=udp-notif, memory of each receiver for incomplete segmented messages; "
             "one message may use a quarter of it"},
    {"segment_timeout", SETTING_DURATION, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(segment_timeout),
     "2s", 10 * MILLISECOND, HOUR,
     .help = "with framing=udp-notif, most time from the first segment of a message to its last"},

    {"keys", SETTING_TEXT, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(keys), .syntax = "FILE",
     .help = "with framing=sealed, or for dtls with pre-shared keys, the file with the senders' "
             "names and keys, which a reload reads again; sluice keygen writes its lines",
     .others = "keyfile keys_file psk psk_file secrets keyring", .secret_file = true},
    {"max_age", SETTING_DURATION, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(seal_max_age), "30s",
     100 * MILLISECOND, 24 * HOUR,
     .help = "with framing=sealed, most time between the sending and the arrival of a datagram; "
             "others are counted as stale"},
    {"state", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(seal_state), .syntax = "PATH",
     .help =
         "with framing=sealed, a file that remembers what was received across restarts (default: "
         "datagrams that were sent before the start are refused)",
     .others = "state_file statefile replay_state"},

    /* Sockets. */
    {"receive_buffer", SETTING_SIZE, KEY_OF_UDP, OF_LISTENER(receive_buffer), "4MiB", 4 * KIB,
     512 * MIB, .help = "receive buffer to request from the system for each socket",
     .others =
         "recv_buf recv_buffer recvbuf rcvbuf rcv_buf so_rcvbuf rcvbufsize receive_buffer_size "
         "receive_buffer_bytes read_buffer_size socket_buffer buffer buffer_size"},
    {"receivers", SETTING_COUNT, KEY_OF_UDP | KEY_OF_STREAM, OF_LISTENER(receivers), "1", 1, 64,
     .help = "receiving threads, each with its own socket on the port; for tcp and unix, threads "
             "that share the connections",
     .others = "workers threads sockets instances reuseport reuse_port"},
    {"spread", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(spread), "flow", .choices = flow_datagram,
     .help = "which of these sockets gets a datagram: the same one for each sender's address and "
             "port, or any; with any, reordering is not reported (Linux)",
     .others = "distribution load_balance balance"},
    {"max_datagram", SETTING_SIZE, KEY_OF_UDP, OF_LISTENER(max_datagram), "64KiB", 1, 64 * KIB,
     .help = "longer datagrams are counted as truncated",
     .others = "max_length max_packet max_packet_size max_message_size max_datagram_size mtu"},
    {"coalesce", SETTING_DURATION, KEY_OF_UDP | KEY_OF_STREAM, OF_LISTENER(coalesce), "5ms", 0,
     10 * MILLISECOND,
     .help = "most time that a datagram, or a frame without an answer, waits for others, which "
             "saves processor time: 500us, and more if all sinks allow it (0s: no wait)"},
    {"gro", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(gro), "off", .choices = off_on,
     .help = "whether the system may combine datagrams of a sender in one buffer (UDP_GRO); "
             "kernel_drops then counts buffers"},
    {"busy_poll", SETTING_DURATION, KEY_OF_UDP, OF_LISTENER(busy_poll), "0s", 0, 100 * MILLISECOND,
     .help = "how long the system polls an idle network card (SO_BUSY_POLL) instead of waiting for "
             "interrupts"},
    {"kernel_filter", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(kernel_filter), "off",
     .choices = off_on,
     .help = "whether the system drops what allow= and deny= refuse, without waking the program; "
             "it counts them with its drops (kernel_drops_and_filtered)"},
    {"interface", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(interface), .syntax = "NAME",
     .help = "network interface on which to join a multicast group; otherwise, the only one to "
             "receive from (Linux)",
     .others = "device iface nic"},
    {"multicast_interface", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(interface), .syntax = "NAME",
     .help = "the same as interface="},
    {"source", SETTING_PARSED, KEY_OF_UDP, OF_LISTENER(group_source), .parse = network_host_parse,
     .syntax = "ADDR", .help = "for a multicast group: receive only from this sender (Linux)"},
    {"id", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(id), .syntax = "NAME",
     .help = "for several listeners of one multicast group and port: a name for each, which is a "
             "part of the listener's name (Linux)",
     .others = "label tag alias"},
    {"ipv6_only", SETTING_BOOL, KEY_OF_UDP | KEY_OF_TCP, OF_LISTENER(ipv6_only), "false",
     .choices = false_true, .help = "whether an IPv6 socket does not receive IPv4"},

    /* Streams. */
    {"max_frame", SETTING_SIZE, KEY_OF_STREAM, OF_LISTENER(max_frame), "1MiB", 1 * KIB, 16 * MIB,
     .help = "most bytes of a message; a connection with a longer one is closed",
     .others = "max_length max_msg_size max_message_size frame_max"},
    {"max_connections", SETTING_COUNT, KEY_OF_STREAM, OF_LISTENER(max_connections), "1000", 1,
     100000, .help = "most open connections", .others = "connection_limit max_clients"},
    {"max_connections_per_address", SETTING_COUNT, KEY_OF_STREAM, OF_LISTENER(max_per_address),
     "1000", 1, 100000,
     .help = "most open connections from an address (IPv6: a /64), or with unix: of a user"},
    {"idle_timeout", SETTING_DURATION, KEY_OF_STREAM | KEY_OF_DTLS, OF_LISTENER(idle_timeout),
     "10m", 100 * MILLISECOND, 24 * HOUR,
     .help = "close a connection, or end a session of dtls, after this time without data",
     .others = "read_timeout keepalive"},
    {"frame_timeout", SETTING_DURATION, KEY_OF_STREAM, OF_LISTENER(frame_timeout), "30s",
     100 * MILLISECOND, HOUR,
     .help = "close a connection if a frame, or a TLS handshake, is incomplete after this time"},
    {"content_type", SETTING_TEXT, KEY_OF_STREAM, OF_LISTENER(content_type), .syntax = "TYPE",
     .help = "with framing=frame-streams, the required content type (default: any that begins with "
             "\"protobuf:\")"},
    {"tls", SETTING_BOOL, KEY_OF_TCP, OF_LISTENER(tls), "off", .choices = off_on,
     .help = "whether clients use TLS (1.2 or 1.3); requires cert= and key=",
     .others = "ssl tls_enabled use_tls"},
    {"cert", SETTING_TEXT, KEY_OF_TCP | KEY_OF_DTLS, OF_LISTENER(cert), .syntax = "FILE",
     .help = "the certificate for tls=on or dtls, and its chain, in PEM",
     .others = "certificate tls_cert tls_cert_file cert_file crt crt_file ssl_cert"},
    {"key", SETTING_TEXT, KEY_OF_TCP | KEY_OF_DTLS, OF_LISTENER(key), .syntax = "FILE",
     .help = "the private key of cert=, in PEM, not encrypted",
     .others = "private_key tls_key tls_key_file key_file ssl_key", .secret_file = true},
    {"client_ca", SETTING_TEXT, KEY_OF_TCP | KEY_OF_DTLS, OF_LISTENER(client_ca), .syntax = "FILE",
     .help = "require client certificates signed by a CA in this PEM file (default: not required)",
     .others = "ca ca_file cacert client_ca_file tls_allowed_cacerts tls_ca verify"},
    {"sessions", SETTING_COUNT, KEY_OF_DTLS, OF_LISTENER(sessions), "1000", 1, 100000,
     .help = "most sessions of each of receivers=; memory is planned for them",
     .others = "max_sessions session_limit session_cache"},
    {"sessions_per_address", SETTING_COUNT, KEY_OF_DTLS, OF_LISTENER(sessions_per_address), "1000",
     1, 100000, .help = "most of these sessions from one address (for IPv6 from one /64 network)"},

    {"mode", SETTING_PARSED, KEY_OF_LOCAL, OF_LISTENER(socket_mode), .parse = file_mode_parse,
     .equal = file_mode_equal, .syntax = "OCTAL",
     .help = "permissions of the socket's file; only users that may write it can connect (default: "
             "0600, the owner)",
     .others = "socket_mode socketmode perm perms permissions umask"},
    {"owner", SETTING_TEXT, KEY_OF_LOCAL, OF_LISTENER(socket_owner), .syntax = "USER[:GROUP]",
     .help = "owner of the socket's file, by name or number, and its group (default: the user that "
             "the program runs as)",
     .others = "socket_owner socketowner user socket_user uid chown"},

    /* Captures. */
    {"port", SETTING_COUNT, KEY_OF_CAPTURE, OF_LISTENER(port), "0", 0, 65535,
     .help = "destination port of the datagrams to read; 0: all ports"},

    /* Schemas. */
    {"schema", SETTING_SCHEMA, KEY_OF_SCHEMA, 0, "telemetry",
     .help = "how to decode the datagrams; the keys below apply to the schema= before them",
     .others = "protocol type decoder decoding codec parser"},
    {"match", SETTING_MATCH, KEY_OF_SCHEMA, OF_SCHEMA(match), .syntax = MATCH_SYNTAX,
     .help = "which datagrams: by sender or by first bytes; the first schema that matches decodes "
             "them"},
    {"framing", SETTING_ENUM, KEY_OF_SCHEMA, OF_SCHEMA(framing), "datagram", .choices = framings,
     .help = "one message per datagram; several, each after its length as a varint or in 2 or 4 "
             "bytes (big-endian; -le: little-endian), also in Frame Streams; one after a header of "
             "Cisco or UDP-Notif; one in base64 after the first line of OTLP over UDP; or one in a "
             "sealed datagram, whose sender has a key in keys="},
    {"header", SETTING_COUNT, KEY_OF_SCHEMA, OF_SCHEMA(header), "0", 0, 65535,
     .help = "bytes to skip at the beginning of each datagram"},
    {"message", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(message), .syntax = "FULL.NAME",
     .help = "type of the message in a datagram", .others = "message_type protobuf_message_type"},
    {"nested", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(nested),
     .syntax = "PATH:[message=TYPE][,by=PATH[,TEXT=TYPE,...]];...",
     .help = "bytes fields that contain a message: of one type, or of the type for a text in the "
             "message, or of the package that the text names"},
    {"sequence", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(sequence), .syntax = "PATH",
     .help = "the field with a sequence number, from which loss is counted"},
    {"sequence_key", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(sequence_key), .syntax = "PATH,...",
     .help = "fields that identify the counter, in addition to the sender's address"},
    {"value", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(value), .syntax = "[NAME:]PATH,...",
     .help = "the fields whose values are samples; * or PATH.* means every number"},
    {"name", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(name), .syntax = "PATH",
     .help = "the field with the name of a sample (default: the name of its value)"},
    {"time", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(time), .syntax = "PATH[:s|ms|us|ns][+PATH:UNIT]",
     .help = "a sample's time: a Timestamp, or a number with its unit, or the sum of two"},
    {"labels", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(labels), .syntax = "[NAME:]PATH,...",
     .help =
         "a sample's labels; with value=* also names of fields, ends of paths, PATH:ip, PATH:text",
     .others = "tags"},
    {"texts", SETTING_BOOL, KEY_OF_FILE, OF_SCHEMA(text_samples), .choices = drop_info,
     .help =
         "with value=*: texts that are not labels are left out (the default), or make a sample of "
         "1 for each element, called ELEMENT.info, of which they are labels"},

    /* Sinks. */
    {"format", SETTING_ENCODER, KEY_OF_SINK, SETTINGS(encoder), "json",
     .help = "how records are written",
     .others = "encoding encoder codec data_format output_format"},
    {"view", SETTING_ENUM, KEY_OF_SINK, SETTINGS(encoding.view), "auto", .choices = sink_view_names,
     .help = "one line for each metric value, each message, or each log record or span (otlp-logs, "
             "otlp-traces); auto is sample if the schema has samples, otherwise message"},
    {"names", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.proto_names), "json",
     .choices = json_proto, .help = "json, text: lowerCamelCase names, or those of the schema"},
    {"int64", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.int64_numbers), "string",
     .choices = string_number, .help = "json, text: how 64-bit integers of a message are written"},
    {"unknown", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.show_unknown), "hide",
     .choices = hide_show, .help = "json, text: whether to write fields unknown to the schema"},
    {"buckets", SETTING_PARSED, KEY_OF_SINK, SETTINGS(encoding.buckets), "all",
     .parse = rules_parse_buckets, .syntax = RULES_BUCKETS_SYNTAX,
     .help = "buckets of a histogram in prometheus, openmetrics, influx and remote-write: all, "
             "only those next to values, or at most this number, by merging neighbours",
     .others = "max_buckets bucket_count native_histogram_bucket_limit"},
    {"native_histograms", SETTING_ENUM, KEY_OF_SINK, SETTINGS(encoding.native), "off",
     .choices = native_histograms_names,
     .help =
         "histograms that remote-write sends as native histograms of Prometheus: none, "
         "exponential ones, or all; all has custom buckets (NHCB), which need remote write 2.0, so "
         "every request is one of 2.0",
     .others = "send_native_histograms native_histogram nhcb convert_histograms_to_nhcb "
               "convert_classic_histograms_to_nhcb"},
    {"exemplars", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.exemplars), "off", .choices = off_on,
     .help = "whether remote-write sends exemplars", .others = "send_exemplars"},
    {"numbers", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.float_numbers), "typed",
     .choices = typed_float,
     .help = "influx: whether integers are written as integers, or all numbers as floats; InfluxDB "
             "refuses a series that has both",
     .others = "influx_float_fields fields_as_float integers"},
    {"columns", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.sender_column), "standard",
     .choices = standard_sender,
     .help = "csv: the columns; sender adds a last one with the sender's name (framing=sealed)",
     .others = "csv_columns sender_column fields"},
    {"max_amplification", SETTING_COUNT, KEY_OF_SINK, SETTINGS(encoding.max_amplification), "256",
     1, 1000000,
     .help = "a written record of more than 64 KiB may have at most this many times the bytes of "
             "its message; a larger one fails as amplified",
     .others = "amplification max_expansion max_ratio"},
    {"counter_suffix", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.counter_suffix), "off",
     .choices = off_on,
     .help = "whether prometheus and remote-write append _total to the names of cumulative "
             "counters (openmetrics always does)",
     .others = "add_metric_suffixes add_total total_suffix suffix"},
    {"max_series", SETTING_COUNT, KEY_OF_SINK, LIMIT(max_series), .minimum = 1,
     .maximum = SERIES_LIMIT_MOST,
     .help = "most series to write: samples of further ones are left out and counted as "
             "series_refused, until others are forgotten (default: any number, or --max-series)",
     .others = "series_limit cardinality_limit metric_cardinality_limit limit_series "
               "max_global_series"},
    {"max_series_per_sender", SETTING_COUNT, KEY_OF_SINK, LIMIT(max_per_sender), .minimum = 1,
     .maximum = SERIES_LIMIT_MOST,
     .help = "most of these series that one sender (its address, for IPv6 the /64 network) may "
             "bring (default: max_series=, or --max-series-per-sender)",
     .others = "max_series_per_source max_series_per_host max_series_per_user"},
    {"series_timeout", SETTING_DURATION, KEY_OF_SINK, LIMIT(timeout), .minimum = SECOND,
     .maximum = 8766 * HOUR,
     .help =
         "with max_series=, a series without a sample for this time is forgotten and makes room "
         "for another (default: 1h)",
     .others = "expiration_interval metric_ttl series_ttl"},
    {"max_age", SETTING_DURATION, KEY_OF_SINK, LIMIT(max_age), .minimum = MILLISECOND,
     .maximum = 100 * YEAR,
     .help =
         "a sample whose own time is more than this before its arrival is out of time (default: "
         "any time is accepted)",
     .others = "out_of_order_time_window reject_old_samples_max_age past_limit"},
    {"max_ahead", SETTING_DURATION, KEY_OF_SINK, LIMIT(max_ahead), .minimum = MILLISECOND,
     .maximum = 100 * YEAR,
     .help = "a sample whose own time is more than this after its arrival is out of time (default: "
             "any time is accepted)",
     .others = "creation_grace_period max_future future_limit"},
    {"time", SETTING_ENUM, KEY_OF_SINK, LIMIT(time), "own", .choices = own_arrival,
     .help =
         "a sample out of time is left out (own) and counted as out_of_time, or written with its "
         "time of arrival and counted as time_replaced"},
    {"flush_interval", SETTING_DURATION, KEY_OF_SINK, SETTINGS(flush_interval), .maximum = HOUR,
     .help = "how long to collect records before writing them (default: while more are queued, and "
             "at least 1ms for a pipe, 50ms for a file, 1s compressed, 10s for openmetrics; 0s: do "
             "not collect)",
     .others = "flush interval batch_timeout"},
    {"overflow", SETTING_ENUM, KEY_OF_SINK, OF_SINK(overflow), "auto", .choices = overflows,
     .help = "which records are lost if a sink is too slow; auto: the newest from sockets, while "
             "streams wait; captures always wait, and block is not allowed for sockets",
     .others = "when_full on_full drop"},
    {"on_epipe", SETTING_ENUM, KEY_OF_SINK, OF_SINK(on_epipe), "end", .choices = end_stop,
     .help = "when the reader of a pipe exits: this sink ends (with the last sink, the program), "
             "or the program stops"},

    /* Files. */
    {"mode", SETTING_PARSED, KEY_OF_FILE_SINK, SETTINGS(file.mode), .parse = file_mode_parse,
     .equal = file_mode_equal, .syntax = "OCTAL",
     .help =
         "permissions of the files that the sink creates, whatever the umask; folders can also be "
         "searched by those that can read the files (default: 0640 less the umask)",
     .others =
         "file_mode filemode file_create_mode create_mode perm perms permissions umask chmod"},
    {"rotate_size", SETTING_SIZE, KEY_OF_FILE_SINK, SETTINGS(file.rotate_size), .minimum = 4 * KIB,
     .maximum = MIB * 1024 * 1024, .help = "begin a new file before a file exceeds this size",
     .others = "rotation_max_size max_file_size maxsize"},
    {"rotate_interval", SETTING_DURATION, KEY_OF_FILE_SINK, SETTINGS(file.rotate_interval),
     .minimum = 1000 * MILLISECOND, .maximum = 8784 * HOUR,
     .help = "begin a new file when the clock (UTC) reaches a multiple of this",
     .others = "rotation_interval rotate rotation"},
    {"keep", SETTING_COUNT, KEY_OF_FILE_SINK, SETTINGS(file.keep), .minimum = 1, .maximum = 1000000,
     .help = "number of periods to keep, with all their complete files, for each path without its "
             "time; older ones are removed. Rotation by time begins a period; with rotation only "
             "by size each file is one (default: keep all)"},
    {"keep_time", SETTING_DURATION, KEY_OF_FILE_SINK, SETTINGS(file.keep_time),
     .minimum = 1000 * MILLISECOND, .maximum = HOUR * 24 * 36525,
     .help = "remove complete files when this time has passed since their last write (default: "
             "keep them)"},
    {"keep_size", SETTING_SIZE, KEY_OF_FILE_SINK, SETTINGS(file.keep_size), .minimum = 4 * KIB,
     .maximum = 1024 * MIB * 1024 * 1024,
     .help = "bytes of complete files to keep for the whole sink; the oldest are removed, but "
             "never the newest (default: keep all)"},
    {"compress", SETTING_COMPRESSION, KEY_OF_FILE_SINK | KEY_OF_HTTP_SINK,
     SETTINGS(file.compression), .help = "compression of files or request bodies (default: none)",
     .others = "compression"},
    {"max_files", SETTING_COUNT, KEY_OF_FILE_SINK, SETTINGS(file.max_files), "1000", 1, 100000,
     .help = "most different paths at a time, from %{source} and the like; further ones are "
             "written to the path with \"other\" in place of the value"},
    {"fsync", SETTING_ENUM, KEY_OF_FILE_SINK, SETTINGS(file.sync), "never", .choices = syncs,
     .help = "when to sync files to the disk: each flush_interval (at least 1s), or when a file is "
             "closed",
     .others = "sync"},

    /* Relays. */
    {"to", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.to_turn), .choices = all_turn,
     .help = "send each datagram to all addresses, or to one of them in turn (default: all)"},
    {"send_to", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.to_turn), .choices = all_turn,
     .help = "the same as to=, for configuration files, where to: has the addresses"},
    {"bad", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.raw), "drop", .choices = drop_too,
     .help = "whether to forward datagrams that could not be decoded; they are counted separately "
             "(raw_offered)"},

    {"keep_source", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.keep_source), "off",
     .choices = off_on,
     .help = "whether to forward datagrams with their original source address (Linux; requires "
             "CAP_NET_RAW at start)"},

    /* Deliveries. */
    {"timeout", SETTING_DURATION, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.timeout), "30s",
     100 * MILLISECOND, HOUR,
     .help = "how long to retry a block of records before giving it up; one answer may take a "
             "third of this time",
     .others = "request_timeout retry_timeout message_timeout"},
    {"retry", SETTING_ENUM, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.retry), "auto",
     .choices = retries,
     .help = "whether to resend a block that was sent and not answered; auto: if a repeated sample "
             "overwrites the first one (influx, prometheus, remote-write)"},
    {"in_flight", SETTING_COUNT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK | KEY_OF_IN_FLIGHT,
     SETTINGS(delivery.in_flight), "4", 1, 64, .help = "most blocks without an answer",
     .others = "max_in_flight concurrency connections"},
    {"in_flight", SETTING_COUNT, KEY_OF_KAFKA_SINK, SETTINGS(delivery.in_flight), "8", 1, 64,
     .help = "most blocks without an answer; with one message per record three are in a request "
             "while the others are collected",
     .others = "max_in_flight concurrency connections"},
    {"query", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.query), .syntax = "TEXT",
     .help =
         "query of each request, after the path and a question mark; write %26 for an ampersand",
     .secret = true},
    {"header_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.header_file), .syntax = "FILE",
     .help = "file of headers for each request, one per line (\"X-Scope-OrgID: a\"); read at the "
             "start and by a reload, like the next two",
     .secret_file = true},
    {"token_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.token_file), .syntax = "FILE",
     .help = "file whose first line is the token for the header \"Authorization: Bearer\"",
     .others = "token bearer_token bearer_token_file auth", .secret_file = true},
    {"password_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.password_file),
     .syntax = "FILE",
     .help = "file whose first line is USER:PASSWORD, for the header \"Authorization: Basic\"",
     .others = "password username user basic_auth", .secret_file = true},
    {"insecure", SETTING_BOOL, KEY_OF_HTTP_SINK, SETTINGS(http.insecure), "no", .choices = no_yes,
     .help = "yes: send passwords and tokens to another machine also by http:, which everyone on "
             "the way can read",
     .others = "allow_plaintext_auth allow_insecure plaintext"},
    {"spill", SETTING_TEXT, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.spill), .syntax = "FOLDER",
     .help =
         "folder where records wait on disk while the far end is unreachable or slow; they are "
         "sent from there in order, at least once; --check reports its contents (default: none)",
     .others = "buffer queue_dir storage.path persistent_queue"},
    {"spill_size", SETTING_SIZE, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.spill_size), "10GiB",
     16 * MIB, 1024 * MIB * 1024 * 1024,
     .help = "most bytes in that folder; beyond that overflow= applies",
     .others = "buffer_size total_limit_size"},
    {"fsync", SETTING_ENUM, KEY_OF_DELIVERY_SINK, SETTINGS(file.sync), "never",
     .choices = spill_syncs,
     .help = "when to sync the spill to the disk: each second, after each 64 MiB, or each block "
             "before it is sent",
     .others = "sync"},

    /* Message brokers. */
    {"per", SETTING_ENUM, KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK, BROKER(per), "auto",
     .choices = units,
     .help = "content of a message: the lines of one record or of a block; auto: a record for "
             "Kafka, a block for NATS, where one message per record costs 20 times as much"},
    {"headers", SETTING_PARSED, KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK, BROKER(headers),
     .parse = broker_keys_parse_headers, .syntax = BROKER_KEYS_HEADER_SYNTAX,
     .help = "headers of each message: schema, listener, this host, id of the message (default: "
             "none; three cost more than a record)"},
    {"key", SETTING_PARSED, KEY_OF_KAFKA_SINK, BROKER(key), "none", .parse = broker_keys_parse_key,
     .syntax = BROKER_KEYS_KEY_SYNTAX,
     .help = "key of a message; brokers keep the order of messages with the same key: the sender's "
             "address, the series, the sender's name (framing=sealed), or the value of a label"},
    {"schema_id", SETTING_PARSED, KEY_OF_KAFKA_SINK, SETTINGS(encoding.head),
     .parse = broker_keys_parse_schema_id, .syntax = BROKER_KEYS_SCHEMA_SYNTAX,
     .help =
         "with format=protobuf: the number of the messages' schema in a schema registry, which "
         "messages then begin with, and the position of the message in its .proto file (default: "
         "0, the first)",
     .others = "schema.id registry_id value_schema_id"},
    {"max_topics", SETTING_COUNT, KEY_OF_KAFKA_SINK, BROKER(max_topics), "64", 1, 10000,
     .help = "most topics at a time, from %{schema} and the like"},
    {"compress", SETTING_ENUM, KEY_OF_KAFKA_SINK, BROKER(compression), "none",
     .choices = broker_compression_names, .help = "compression of messages, also in the broker",
     .others = "compression"},
    {"properties_file", SETTING_TEXT, KEY_OF_KAFKA_SINK, BROKER(properties), .syntax = "FILE",
     .help = "file of librdkafka properties, NAME=VALUE, one per line; the place for passwords",
     .others = "properties config_file", .secret_file = true},
    {"kafka.NAME", SETTING_PARSED, KEY_OF_KAFKA_SINK, BROKER(kafka),
     .parse = broker_keys_parse_property, .open = true, .syntax = "VALUE",
     .help = "a property of librdkafka, such as kafka.linger.ms=20; put passwords into "
             "properties_file="},
    {"credentials_file", SETTING_TEXT, KEY_OF_NATS_SINK, BROKER(credentials), .syntax = "FILE",
     .help = "credentials: a file from nsc, or lines user= and password=, or token=, or nkey= and "
             "seed_file=",
     .others = "credentials creds user password token", .secret_file = true},
    {"tls", SETTING_BOOL, KEY_OF_NATS_SINK, BROKER(tls), "off", .choices = off_on,
     .help = "whether to connect with TLS"},

    /* TLS of clients. */
    {"server_ca", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(ca), .syntax = "FILE",
     .help = "for https: and tls=on: certificates of trusted CAs, in PEM (default for https: the "
             "system's)",
     .others = "cacert ca ca_file tls_ca"},
    {"client_cert", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(cert), .syntax = "FILE",
     .help = "for https: and tls=on: the client certificate and its chain, in PEM (on Windows: in "
             "PKCS#12, with the key)",
     .others = "client_certificate sslcert tls_cert cert_file", .secret_file = true},
    {"client_key", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(key), .syntax = "FILE",
     .help = "private key of client_cert=, in PEM (default: in the file of client_cert=)",
     .others = "sslkey private_key tls_key key_file", .secret_file = true},

    /* Sample rules. */
    {"include", SETTING_PARSED, KEY_OF_SINK, SAMPLING(include), .parse = rules_parse_conditions,
     .syntax = RULES_CONDITION_SYNTAX,
     .help = "only samples whose name or label matches: commas separate alternatives, semicolons "
             "join conditions that must all match; * is any bytes, ? is one",
     .others = "namepass"},
    {"exclude", SETTING_PARSED, KEY_OF_SINK, SAMPLING(exclude), .parse = rules_parse_conditions,
     .syntax = RULES_CONDITION_SYNTAX,
     .help = "drop samples that match; has precedence over include=", .others = "namedrop"},
    {"sample", SETTING_PARSED, KEY_OF_SINK, SAMPLING(one_in), .parse = rules_parse_share,
     .syntax = RULES_SHARE_SYNTAX,
     .help = "keep one of N series (a name and its labels), always the same ones"},
    {"rename", SETTING_PARSED, KEY_OF_SINK, SAMPLING(rename), .parse = rules_parse_renames,
     .syntax = RULES_RENAME_SYNTAX, .help = "new names for metrics"},
    {"keep_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(keep_label), .parse = rules_parse_globs,
     .syntax = RULES_GLOBS_SYNTAX, .help = "write only these labels; drop_label= applies as well",
     .others = "taginclude keep_tag"},
    {"drop_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(drop_label), .parse = rules_parse_globs,
     .syntax = RULES_GLOBS_SYNTAX, .help = "labels to drop", .others = "tagexclude drop_tag"},
    {"rename_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(rename_label),
     .parse = rules_parse_renames, .syntax = RULES_RENAME_SYNTAX, .help = "new names for labels"},
    {"add_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(add_label), .parse = rules_parse_labels,
     .syntax = RULES_LABEL_SYNTAX,
     .help =
         "labels to add to samples without a label of that name; %{hostname}, %{source}, "
         "%{listener}, %{schema}, %{sender} and %{sender_id} in a value are replaced by the origin",
     .others = "tags global_tags add_tag"},

    /* Dead letters. */
    {"max_size", SETTING_SIZE, KEY_OF_DEAD_LETTERS, offsetof(struct dead_letter_config, max_size),
     "64MiB", 128 * KIB, MIB * 1024 * 1024, .help = "most bytes of the file"},
    {"rate", SETTING_COUNT, KEY_OF_DEAD_LETTERS, offsetof(struct dead_letter_config, rate), "100",
     1, 1000000, .help = "most datagrams kept a second, for all listeners together"},
    {"mode", SETTING_PARSED, KEY_OF_DEAD_LETTERS, offsetof(struct dead_letter_config, mode),
     .parse = file_mode_parse, .equal = file_mode_equal, .syntax = "OCTAL",
     .help =
         "permissions of the file when it is created, whatever the umask (default: 0640 less the "
         "umask)",
     .others = "file_mode filemode perm perms permissions umask"},
};
const struct setting *const config_keys = rows;

/* --- keys that destinations declare ----------------------------------------------------------- */

/* One destination for each table of own keys. The scope of owners[i] is KEY_OF_OWN_FIRST << i. */
#define OWNERS_MAX (sizeof(unsigned) * 8 - KEY_OF_OWN_BIT)
static const struct destination_ops *owners[OWNERS_MAX];
static char owner_names[OWNERS_MAX][32];
static size_t owner_count;

/* Returns the index of the destination's table of own keys. Destinations may share a table. */
static size_t find_owner(const struct destination_ops *destination)
{
    size_t owner = 0;
    while (owner < owner_count && owners[owner]->own_keys != destination->own_keys)
        owner++;
    return owner;
}

static void add_owner(const struct destination_ops *destination)
{
    size_t count = 0;
    while (rows[count].name != NULL)
        count++;
    RULE(owner_count < OWNERS_MAX, "there is a scope for each table of own keys");
    const unsigned scope = KEY_OF_OWN_FIRST << owner_count;
    owners[owner_count] = destination;
    snprintf(owner_names[owner_count], sizeof owner_names[0], "a %s: sink", destination->scheme);
    owner_count++;
    for (const struct setting *own = destination->own_keys; own->name != NULL; own++) {
        RULE(count + 1 < KEYS_MAX,
             "the table has room for the own keys, and for the row after them");
        RULE(own->offset < SINK_OWN_SIZE, "a sink has room for what its destination declares");
        rows[count] = *own;
        rows[count].scopes = scope;
        rows[count++].offset = SETTINGS(own) + own->offset;
    }
}

void key_table_add_own(const struct destination_ops *const *destinations)
{
    for (; *destinations != NULL; destinations++)
        if ((*destinations)->own_keys != NULL && find_owner(*destinations) == owner_count)
            add_owner(*destinations);
}

unsigned key_table_own_scope(const struct destination_ops *destination)
{
    size_t owner = destination->own_keys == NULL ? owner_count : find_owner(destination);
    return owner == owner_count ? 0 : KEY_OF_OWN_FIRST << owner;
}

const char *key_table_own_name(unsigned scope)
{
    for (size_t owner = 0; owner < owner_count; owner++)
        if ((scope & KEY_OF_OWN_FIRST << owner) != 0)
            return owner_names[owner];
    return "nothing";
}
