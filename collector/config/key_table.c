#include "collector/config/key_table.h"

#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/config/broker_keys.h"
#include "collector/config/match.h"
#include "collector/config/network.h"
#include "collector/config/rules.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

#define MILLISECOND UINT64_C(1000000)
#define HOUR        (MILLISECOND * 1000 * 3600)

#define LISTENER (KEY_OF_UDP | KEY_OF_STREAM | KEY_OF_CAPTURE)

static const char *const false_true[] = {"false", "true", NULL};
static const char *const flow_datagram[] = {"flow", "datagram", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const json_proto[] = {"json", "proto", NULL};
static const char *const string_number[] = {"string", "number", NULL};
static const char *const framings[] = {[FRAMING_DATAGRAM] = "datagram",
                                       [FRAMING_DELIMITED] = "delimited",
                                       [FRAMING_LENGTH16] = "length16",
                                       [FRAMING_LENGTH32] = "length32",
                                       [FRAMING_FRAME_STREAMS] = "frame-streams",
                                       [FRAMING_CISCO_MDT] = "cisco-mdt",
                                       [FRAMING_UDP_NOTIF] = "udp-notif",
                                       [FRAMING_OTLP_UDP] = "otlp-udp",
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
static const char *const drop_too[] = {"drop", "too", NULL};
static const char *const hide_show[] = {"hide", "show", NULL};

/* The place of a key's field in the struct that the key is read into. */
#define OF_LISTENER(field) offsetof(struct listener_config, field)
#define OF_SCHEMA(field)   offsetof(struct schema_config, field)
#define OF_SINK(field)     offsetof(struct sink_config, field)
#define SETTINGS(field)    OF_SINK(settings.field)
#define BROKER(field)      SETTINGS(broker.field)
#define TLS(field)         SETTINGS(tls.field)
#define SAMPLING(field)    SETTINGS(encoding.rules.field)

static struct setting rows[KEYS_MAX] = {
    /* Datagrams. */
    {"max_decoded", SETTING_SIZE, LISTENER, OF_LISTENER(max_decoded), "512KiB", 1 * KIB, 64 * MIB,
     .help = "memory that one decoded datagram may take"},
    {"allow", SETTING_PARSED, LISTENER, OF_LISTENER(allow), .parse = networks_parse,
     .syntax = NETWORKS_SYNTAX,
     .help = "who may send: these networks and addresses (default: everyone)",
     .others = "allow_from allowlist whitelist permit permit_origin"},
    {"deny", SETTING_PARSED, LISTENER, OF_LISTENER(deny), .parse = networks_parse,
     .syntax = NETWORKS_SYNTAX, .help = "who may not send; wins over allow=",
     .others = "deny_from denylist blacklist block reject"},
    {"rate_limit", SETTING_COUNT, LISTENER, OF_LISTENER(rate_limit), .minimum = 1,
     .maximum = RATE_LIMIT_MOST,
     .help = "datagrams that each source (its address, from any port) may send in a second, and in "
             "one burst (default: any number)",
     .others = "ratelimit limit max_rate throttle"},

    {"segment_memory", SETTING_SIZE, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(segment_memory),
     "4MiB", 256 * KIB, 1024 * MIB,
     .help = "with framing=udp-notif, memory of each receiver for segments whose messages are not "
             "whole yet; one message may have a quarter of it"},
    {"segment_timeout", SETTING_DURATION, KEY_OF_UDP | KEY_OF_CAPTURE, OF_LISTENER(segment_timeout),
     "2s", 10 * MILLISECOND, HOUR,
     .help = "with framing=udp-notif, how long a message may take from its first segment to its "
             "last"},

    /* Sockets. */
    {"receive_buffer", SETTING_SIZE, KEY_OF_UDP, OF_LISTENER(receive_buffer), "4MiB", 4 * KIB,
     512 * MIB, .help = "receive buffer to ask the system for, of each socket",
     .others =
         "recv_buf recv_buffer recvbuf rcvbuf rcv_buf so_rcvbuf rcvbufsize receive_buffer_size "
         "receive_buffer_bytes read_buffer_size socket_buffer buffer buffer_size"},
    {"receivers", SETTING_COUNT, KEY_OF_UDP | KEY_OF_STREAM, OF_LISTENER(receivers), "1", 1, 64,
     .help = "receiving threads, each with its own socket on the port; of tcp they all serve all "
             "connections",
     .others = "workers threads sockets instances reuseport reuse_port"},
    {"spread", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(spread), "flow", .choices = flow_datagram,
     .help = "which of these sockets a datagram goes to: one for all of a sender's address and "
             "port, or any; then nothing is reported as reordered (Linux)",
     .others = "distribution load_balance balance"},
    {"max_datagram", SETTING_SIZE, KEY_OF_UDP, OF_LISTENER(max_datagram), "64KiB", 1, 64 * KIB,
     .help = "longer datagrams are counted as truncated",
     .others = "max_length max_packet max_packet_size max_message_size max_datagram_size mtu"},
    {"coalesce", SETTING_DURATION, KEY_OF_UDP | KEY_OF_STREAM, OF_LISTENER(coalesce), "5ms", 0,
     10 * MILLISECOND,
     .help = "how long a datagram, or a frame that needs no answer, may wait for others, where "
             "that gathers some: 500us, and more where all sinks allow it; the processor has less "
             "work (0s: not at all)"},
    {"gro", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(gro), "off", .choices = off_on,
     .help = "whether the system may put many datagrams of a sender into one buffer (UDP_GRO); "
             "kernel_drops then counts buffers"},
    {"busy_poll", SETTING_DURATION, KEY_OF_UDP, OF_LISTENER(busy_poll), "0s", 0, 100 * MILLISECOND,
     .help = "how long the system asks the network card for more where there is nothing "
             "(SO_BUSY_POLL), instead of waiting for interrupts"},
    {"kernel_filter", SETTING_BOOL, KEY_OF_UDP, OF_LISTENER(kernel_filter), "off",
     .choices = off_on,
     .help = "whether the system refuses, without waking us, what allow= and deny= refuse; it "
             "counts that among its drops (kernel_drops_and_filtered)"},
    {"interface", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(interface), .syntax = "NAME",
     .help = "the network interface where a multicast group is joined, or the only one that "
             "datagrams are taken from (Linux)",
     .others = "device iface nic"},
    {"multicast_interface", SETTING_TEXT, KEY_OF_UDP, OF_LISTENER(interface), .syntax = "NAME",
     .help = "the same as interface="},
    {"source", SETTING_PARSED, KEY_OF_UDP, OF_LISTENER(group_source), .parse = network_host_parse,
     .syntax = "ADDR",
     .help = "of a multicast group: the only sender whose datagrams are wanted (Linux)"},
    {"ipv6_only", SETTING_BOOL, KEY_OF_UDP | KEY_OF_STREAM, OF_LISTENER(ipv6_only), "false",
     .choices = false_true, .help = "whether an IPv6 socket leaves IPv4 alone"},

    /* Streams. */
    {"max_frame", SETTING_SIZE, KEY_OF_STREAM, OF_LISTENER(max_frame), "1MiB", 1 * KIB, 16 * MIB,
     .help = "bytes of a message; a connection with a longer one is closed",
     .others = "max_length max_msg_size max_message_size frame_max"},
    {"max_connections", SETTING_COUNT, KEY_OF_STREAM, OF_LISTENER(max_connections), "1000", 1,
     100000, .help = "connections that are open at a time",
     .others = "connection_limit max_clients"},
    {"max_connections_per_address", SETTING_COUNT, KEY_OF_STREAM, OF_LISTENER(max_per_address),
     "1000", 1, 100000, .help = "of these from one address"},
    {"idle_timeout", SETTING_DURATION, KEY_OF_STREAM, OF_LISTENER(idle_timeout), "10m",
     100 * MILLISECOND, 24 * HOUR, .help = "a connection is closed when nothing came for so long",
     .others = "read_timeout keepalive"},
    {"frame_timeout", SETTING_DURATION, KEY_OF_STREAM, OF_LISTENER(frame_timeout), "30s",
     100 * MILLISECOND, HOUR,
     .help = "a connection is closed when a frame that has begun, or a handshake of TLS, is not "
             "whole after so long"},
    {"content_type", SETTING_TEXT, KEY_OF_STREAM, OF_LISTENER(content_type), .syntax = "TYPE",
     .help = "with framing=frame-streams, what the messages must be (default: any that begins with "
             "\"protobuf:\")"},
    {"tls", SETTING_BOOL, KEY_OF_STREAM, OF_LISTENER(tls), "off", .choices = off_on,
     .help = "whether clients speak TLS (1.2 or 1.3), with cert= and key= as the certificate",
     .others = "ssl tls_enabled use_tls"},
    {"cert", SETTING_TEXT, KEY_OF_STREAM, OF_LISTENER(cert), .syntax = "FILE",
     .help = "the certificate for tls=on, in PEM, and after it those that lead to its root",
     .others = "certificate tls_cert tls_cert_file cert_file crt crt_file ssl_cert"},
    {"key", SETTING_TEXT, KEY_OF_STREAM, OF_LISTENER(key), .syntax = "FILE",
     .help = "the private key of cert=, in PEM, not encrypted",
     .others = "private_key tls_key tls_key_file key_file ssl_key"},
    {"client_ca", SETTING_TEXT, KEY_OF_STREAM, OF_LISTENER(client_ca), .syntax = "FILE",
     .help = "clients need a certificate that one of those in this file signed, in PEM (default: "
             "they need none)",
     .others = "ca ca_file cacert client_ca_file tls_allowed_cacerts tls_ca verify"},

    /* Captures. */
    {"port", SETTING_COUNT, KEY_OF_CAPTURE, OF_LISTENER(port), "0", 0, 65535,
     .help = "destination port of the datagrams to read; 0 is every port"},

    /* What datagrams mean. */
    {"schema", SETTING_SCHEMA, KEY_OF_SCHEMA, 0, "telemetry",
     .help = "what the datagrams mean; the keys below are about the schema= before them",
     .others = "protocol type decoder decoding codec parser"},
    {"match", SETTING_MATCH, KEY_OF_SCHEMA, OF_SCHEMA(match), .syntax = MATCH_SYNTAX,
     .help = "which datagrams: by their sender, or by their first bytes; the first schema that "
             "matches has them"},
    {"framing", SETTING_ENUM, KEY_OF_SCHEMA, OF_SCHEMA(framing), "datagram", .choices = framings,
     .help = "one message a datagram; many after their lengths, as a varint or in 2 or 4 bytes "
             "(most significant first), also in Frame Streams; one after the header of Cisco or of "
             "UDP-Notif; or one in base64, after the head of OTLP over UDP"},
    {"header", SETTING_COUNT, KEY_OF_SCHEMA, OF_SCHEMA(header), "0", 0, 65535,
     .help = "bytes to skip at the beginning of each datagram"},
    {"message", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(message), .syntax = "FULL.NAME",
     .help = "the message that a datagram holds", .others = "message_type protobuf_message_type"},
    {"nested", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(nested),
     .syntax = "PATH:[message=TYPE][,by=PATH,TEXT=TYPE,...];...",
     .help =
         "bytes fields that hold a message, of one type, or of the type for a text of the message"},
    {"sequence", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(sequence), .syntax = "PATH",
     .help = "the field that numbers the messages, from which loss is counted"},
    {"sequence_key", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(sequence_key), .syntax = "PATH,...",
     .help = "the fields that say who counts, besides the sender's address"},
    {"value", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(value), .syntax = "[NAME:]PATH,...",
     .help = "the fields whose values are samples"},
    {"name", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(name), .syntax = "PATH",
     .help = "the field that names a sample; without it a value's own name does"},
    {"time", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(time), .syntax = "PATH[:s|ms|us|ns]",
     .help = "a sample's time: a Timestamp, or a number with its unit"},
    {"labels", SETTING_TEXT, KEY_OF_FILE, OF_SCHEMA(labels), .syntax = "[NAME:]PATH,...",
     .help = "a sample's labels", .others = "tags"},

    /* Sinks. */
    {"format", SETTING_ENCODER, KEY_OF_SINK, SETTINGS(encoder), "json",
     .help = "how records are written",
     .others = "encoding encoder codec data_format output_format"},
    {"view", SETTING_ENUM, KEY_OF_SINK, SETTINGS(encoding.view), "auto", .choices = sink_view_names,
     .help = "a line for every metric value, for every message, or for every log record and span "
             "(otlp-logs, otlp-traces); auto is sample where the schema has samples, else "
             "message"},
    {"names", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.proto_names), "json",
     .choices = json_proto,
     .help = "field names in lowerCamelCase, or as the .proto file has them"},
    {"int64", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.int64_numbers), "string",
     .choices = string_number, .help = "how 64-bit integers of a message are written"},
    {"unknown", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.json.show_unknown), "hide",
     .choices = hide_show,
     .help = "whether a message shows the fields that its schema does not know"},
    {"buckets", SETTING_PARSED, KEY_OF_SINK, SETTINGS(encoding.buckets), "all",
     .parse = rules_parse_buckets, .syntax = RULES_BUCKETS_SYNTAX,
     .help = "of a histogram in prometheus, openmetrics, influx and remote-write: all buckets; "
             "those that bound values; or so many at most, for which neighbours are merged",
     .others = "max_buckets bucket_count native_histogram_bucket_limit"},
    {"max_amplification", SETTING_COUNT, KEY_OF_SINK, SETTINGS(encoding.max_amplification), "256",
     1, 1000000,
     .help = "a record of more than 64 KiB may have at most this many times the bytes of its "
             "message when it is written; else it fails as amplified",
     .others = "amplification max_expansion max_ratio"},
    {"counter_suffix", SETTING_BOOL, KEY_OF_SINK, SETTINGS(encoding.counter_suffix), "off",
     .choices = off_on,
     .help = "of prometheus and remote-write: whether names of cumulative counters end with _total "
             "(openmetrics always has it)",
     .others = "add_metric_suffixes add_total total_suffix suffix"},
    {"flush_interval", SETTING_DURATION, KEY_OF_SINK, SETTINGS(flush_interval), .maximum = HOUR,
     .help = "how long records are collected before they are written (default: while more are "
             "waiting, and 1ms of a pipe, 50ms of a file; compressed, 1s; of openmetrics, 10s; 0s: "
             "not at all)",
     .others = "flush interval batch_timeout"},
    {"overflow", SETTING_ENUM, KEY_OF_SINK, OF_SINK(overflow), "auto", .choices = overflows,
     .help = "what a sink that is behind loses; auto: of a socket's records the newest, and "
             "streams wait; a capture always waits, and block is not for sockets",
     .others = "when_full on_full drop"},
    {"on_epipe", SETTING_ENUM, KEY_OF_SINK, OF_SINK(on_epipe), "end", .choices = end_stop,
     .help = "when the reader of a pipe goes: this sink ends (and the program with the last one), "
             "or the program stops"},

    /* Files. */
    {"rotate_size", SETTING_SIZE, KEY_OF_FILE_SINK, SETTINGS(file.rotate_size), .minimum = 4 * KIB,
     .maximum = MIB * 1024 * 1024, .help = "a file is complete before it becomes larger than this",
     .others = "rotation_max_size max_file_size maxsize"},
    {"rotate_interval", SETTING_DURATION, KEY_OF_FILE_SINK, SETTINGS(file.rotate_interval),
     .minimum = 1000 * MILLISECOND, .maximum = 8784 * HOUR,
     .help = "a file is complete when the clock (UTC) passes a multiple of this",
     .others = "rotation_interval rotate rotation"},
    {"keep", SETTING_COUNT, KEY_OF_FILE_SINK, SETTINGS(file.keep), .minimum = 1, .maximum = 1000000,
     .help =
         "how many periods stay, with all their complete files, of each path but for its time; "
         "older ones are removed. A period is what rotation by time separates; where size alone "
         "rotates it is a file (default: all stay)"},
    {"keep_time", SETTING_DURATION, KEY_OF_FILE_SINK, SETTINGS(file.keep_time),
     .minimum = 1000 * MILLISECOND, .maximum = HOUR * 24 * 36525,
     .help = "complete files are removed when this has passed since they were last written "
             "(default: they stay)"},
    {"keep_size", SETTING_SIZE, KEY_OF_FILE_SINK, SETTINGS(file.keep_size), .minimum = 4 * KIB,
     .maximum = 1024 * MIB * 1024 * 1024,
     .help = "bytes of complete files that stay, all of the sink together; the oldest are removed, "
             "but never the newest (default: all stay)"},
    {"compress", SETTING_COMPRESSION, KEY_OF_FILE_SINK | KEY_OF_HTTP_SINK,
     SETTINGS(file.compression),
     .help = "how files, or the bodies of requests, are compressed (default: not at all)",
     .others = "compression"},
    {"max_files", SETTING_COUNT, KEY_OF_FILE_SINK, SETTINGS(file.max_files), "1000", 1, 100000,
     .help = "different paths at a time, by %{source} and the like; what is too much goes to the "
             "one with \"other\" in it"},
    {"fsync", SETTING_ENUM, KEY_OF_FILE_SINK, SETTINGS(file.sync), "never", .choices = syncs,
     .help = "when what was written is made to reach the disk: each flush_interval (1s at least), "
             "or when a file is closed",
     .others = "sync"},

    /* Relays. */
    {"to", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.to_turn), .choices = all_turn,
     .help =
         "whether each datagram goes to all addresses, or to one of them in turn (default: all)"},
    {"send_to", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.to_turn), .choices = all_turn,
     .help = "the same, for configuration files: there to: has the addresses"},
    {"bad", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.raw), "drop", .choices = drop_too,
     .help =
         "whether datagrams that could not be decoded are passed on, too; they count beside the "
         "records (raw_offered)"},

    {"keep_source", SETTING_BOOL, KEY_OF_RELAY_SINK, SETTINGS(relay.keep_source), "off",
     .choices = off_on,
     .help = "whether datagrams are passed on under the address of their first sender (Linux, with "
             "the right CAP_NET_RAW at the start)"},

    /* Deliveries. */
    {"timeout", SETTING_DURATION, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.timeout), "30s",
     100 * MILLISECOND, HOUR,
     .help = "how long a block of records is sent, again and again, until it is given up; one "
             "answer may take a third of it",
     .others = "request_timeout retry_timeout message_timeout"},
    {"retry", SETTING_ENUM, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.retry), "auto",
     .choices = retries,
     .help = "whether a block that was sent, and that nobody answered, is sent again; auto: where "
             "a sample that comes twice overwrites itself (influx, prometheus, remote-write)"},
    {"in_flight", SETTING_COUNT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK | KEY_OF_IN_FLIGHT,
     SETTINGS(delivery.in_flight), "4", 1, 64,
     .help = "blocks that wait for their answers at a time",
     .others = "max_in_flight concurrency connections"},
    {"in_flight", SETTING_COUNT, KEY_OF_KAFKA_SINK, SETTINGS(delivery.in_flight), "8", 1, 64,
     .help = "blocks that wait for their answers at a time; of a message per record three are in a "
             "request, and the others are collected meanwhile",
     .others = "max_in_flight concurrency connections"},
    {"query", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.query), .syntax = "TEXT",
     .help = "what follows the path of each request after a question mark; an ampersand in it is "
             "written %26",
     .secret = true},
    {"header_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.header_file), .syntax = "FILE",
     .help = "headers of each request, one a line (\"X-Scope-OrgID: a\"); as the next two read "
             "at the start and by a reload"},
    {"token_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.token_file), .syntax = "FILE",
     .help = "its first line is the token of the header \"Authorization: Bearer\"",
     .others = "token bearer_token bearer_token_file auth"},
    {"password_file", SETTING_TEXT, KEY_OF_HTTP_SINK, SETTINGS(http.password_file),
     .syntax = "FILE",
     .help = "its first line is USER:PASSWORD, for the header \"Authorization: Basic\"",
     .others = "password username user basic_auth"},
    {"spill", SETTING_TEXT, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.spill), .syntax = "FOLDER",
     .help =
         "where records wait on disk while the far end is away or slow; they are sent from "
         "there in their order, at least once; --check says what lies there (default: they do not)",
     .others = "buffer queue_dir storage.path persistent_queue"},
    {"spill_size", SETTING_SIZE, KEY_OF_DELIVERY_SINK, SETTINGS(delivery.spill_size), "10GiB",
     16 * MIB, 1024 * MIB * 1024 * 1024, .help = "bytes that may lie there; then overflow= decides",
     .others = "buffer_size total_limit_size"},
    {"fsync", SETTING_ENUM, KEY_OF_DELIVERY_SINK, SETTINGS(file.sync), "never",
     .choices = spill_syncs,
     .help = "when what lies there is made to reach the disk: each second, when 64 MiB are full, "
             "or each block before it is sent",
     .others = "sync"},

    /* Message brokers. */
    {"per", SETTING_ENUM, KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK, BROKER(per), "auto",
     .choices = units,
     .help = "what a message holds: a record's lines, or those of a block of records; auto: a "
             "record's for Kafka, and a block's for NATS, where a record a message costs 20 times "
             "as much"},
    {"headers", SETTING_PARSED, KEY_OF_KAFKA_SINK | KEY_OF_NATS_SINK, BROKER(headers),
     .parse = broker_keys_parse_headers, .syntax = BROKER_KEYS_HEADER_SYNTAX,
     .help = "headers of each message: the schema, the listener, this host, the message's id "
             "(default: none; three cost more than a record)"},
    {"key", SETTING_PARSED, KEY_OF_KAFKA_SINK, BROKER(key), "none", .parse = broker_keys_parse_key,
     .syntax = BROKER_KEYS_KEY_SYNTAX,
     .help = "the key of a message, whose order a broker keeps: the sender's address, the series, "
             "or the value of a label"},
    {"max_topics", SETTING_COUNT, KEY_OF_KAFKA_SINK, BROKER(max_topics), "64", 1, 10000,
     .help = "topics at a time, by %{schema} and the like"},
    {"compress", SETTING_ENUM, KEY_OF_KAFKA_SINK, BROKER(compression), "none",
     .choices = broker_compression_names,
     .help = "how messages are compressed; the broker keeps them so", .others = "compression"},
    {"properties_file", SETTING_TEXT, KEY_OF_KAFKA_SINK, BROKER(properties), .syntax = "FILE",
     .help = "properties for librdkafka, a line each: NAME=VALUE; passwords stand here",
     .others = "properties config_file"},
    {"kafka.NAME", SETTING_PARSED, KEY_OF_KAFKA_SINK, BROKER(kafka),
     .parse = broker_keys_parse_property, .open = true, .syntax = "VALUE",
     .help = "a property of librdkafka, such as kafka.linger.ms=20; passwords stand in "
             "properties_file="},
    {"credentials_file", SETTING_TEXT, KEY_OF_NATS_SINK, BROKER(credentials), .syntax = "FILE",
     .help = "who we are: a file of nsc's, or lines user= and password=, or token=, or nkey= and "
             "seed_file=",
     .others = "credentials creds user password token"},
    {"tls", SETTING_BOOL, KEY_OF_NATS_SINK, BROKER(tls), "off", .choices = off_on,
     .help = "whether the connection is TLS"},

    /* Whom we trust, and who we are. */
    {"server_ca", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(ca), .syntax = "FILE",
     .help = "of https: and tls=on: the certificates that servers are trusted by, in PEM (default: "
             "of https: the system's)",
     .others = "cacert ca ca_file tls_ca"},
    {"client_cert", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(cert), .syntax = "FILE",
     .help = "of https: and tls=on: the certificate that we show, in PEM, with its chain",
     .others = "client_certificate sslcert tls_cert cert_file"},
    {"client_key", SETTING_TEXT, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, TLS(key), .syntax = "FILE",
     .help = "its key, in PEM (default: it is in the file of client_cert=)",
     .others = "sslkey private_key tls_key key_file"},

    /* Which samples of a sink, and how they are called. */
    {"include", SETTING_PARSED, KEY_OF_SINK, SAMPLING(include), .parse = rules_parse_conditions,
     .syntax = RULES_CONDITION_SYNTAX,
     .help = "only samples whose name, or label, matches: one of those apart by commas, all of "
             "those joined by semicolons; * is any bytes, ? is one",
     .others = "namepass"},
    {"exclude", SETTING_PARSED, KEY_OF_SINK, SAMPLING(exclude), .parse = rules_parse_conditions,
     .syntax = RULES_CONDITION_SYNTAX,
     .help = "no samples that match; wins over include=", .others = "namedrop"},
    {"sample", SETTING_PARSED, KEY_OF_SINK, SAMPLING(one_in), .parse = rules_parse_share,
     .syntax = RULES_SHARE_SYNTAX,
     .help = "one of so many series (a name and its labels), always the same ones"},
    {"rename", SETTING_PARSED, KEY_OF_SINK, SAMPLING(rename), .parse = rules_parse_renames,
     .syntax = RULES_RENAME_SYNTAX, .help = "other names for metrics"},
    {"keep_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(keep_label), .parse = rules_parse_globs,
     .syntax = RULES_GLOBS_SYNTAX,
     .help = "the only labels to write; drop_label= still leaves out some of them",
     .others = "taginclude keep_tag"},
    {"drop_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(drop_label), .parse = rules_parse_globs,
     .syntax = RULES_GLOBS_SYNTAX, .help = "labels to leave out", .others = "tagexclude drop_tag"},
    {"rename_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(rename_label),
     .parse = rules_parse_renames, .syntax = RULES_RENAME_SYNTAX, .help = "other names for labels"},
    {"add_label", SETTING_PARSED, KEY_OF_SINK, SAMPLING(add_label), .parse = rules_parse_labels,
     .syntax = RULES_LABEL_SYNTAX,
     .help = "labels for samples that have none of that name; in a value %{hostname}, %{source}, "
             "%{listener} and %{schema} say where it came from",
     .others = "tags global_tags add_tag"},

    /* Dead letters. */
    {"max_size", SETTING_SIZE, KEY_OF_DEAD_LETTERS, offsetof(struct dead_letter_config, max_size),
     "64MiB", 128 * KIB, MIB * 1024 * 1024, .help = "how long the file may become"},
    {"rate", SETTING_COUNT, KEY_OF_DEAD_LETTERS, offsetof(struct dead_letter_config, rate), "100",
     1, 1000000, .help = "datagrams kept in a second, of all listeners together"},
};
const struct setting *const config_keys = rows;

/* --- keys that destinations declare ----------------------------------------------------------- */

/* The destinations whose own keys are in the table; the scope of the first is KEY_OF_OWN_FIRST. */
#define OWNERS_MAX 18
static const struct destination_ops *owners[OWNERS_MAX];
static char owner_names[OWNERS_MAX][32];
static size_t owner_count;

/* Destinations that share a table of keys are one owner. */
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
